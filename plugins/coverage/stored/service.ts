/** Kept reports for other plugins, which see these types only. */

/** The key under which the service is offered if the setting `reports` is made. */
export const keptReportsKey = 'coverage/kept-reports@1';

export interface KeptReportsService {
  /** The path, below the server's address, of the page with the reports that measured this gene, or could not. */
  pathOf(gene: string): string;
}
