/** How records of matches and notifications name this node. */
export const thisNode = { id: 'trefoil', label: 'This server' } as const;
