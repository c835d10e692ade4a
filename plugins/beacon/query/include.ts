/** Which datasets get a response of their own (`includeDatasetResponses` of v1, `includeResultsetResponses` of v2). */
export const includes = ['ALL', 'HIT', 'MISS', 'NONE'] as const;
export type Include = (typeof includes)[number];

/** Those of the datasets' responses that are included. */
export function included<Response extends { exists: boolean }>(
  include: Include,
  responses: readonly Response[],
): Response[] {
  if (include === 'NONE') return [];
  return responses.filter(({ exists }) => include === 'ALL' || exists === (include === 'HIT'));
}
