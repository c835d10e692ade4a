/** Names in requests for kept reports. */

/** The form field that asks for a report to be kept. */
export const keepField = 'keep';

/** The header of an answer with the id under which it is kept. */
export const idHeader = 'Report-Id';

/** Where kept reports are listed; each is below it. */
export const reportsPath = '/coverage/reports';

export function reportPath(id: string): string {
  return `${reportsPath}/${id}`;
}

/** Of the page with the reports that measured this gene, or could not. */
export function pathOfGene(gene: string): string {
  return `${reportsPath}?${new URLSearchParams({ gene })}`;
}
