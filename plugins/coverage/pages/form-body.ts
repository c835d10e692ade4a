/** How forms arrive. */

export const formType = 'application/x-www-form-urlencoded';
/** Bytes of a form: thousands of genes, and the lines of a BED file of some size. */
export const formLimit = 4 * 2 ** 20;
