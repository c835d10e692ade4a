/** Who may open a kept report: callers who reach all of its samples today. */
import type { ReachedServices } from '../reach.js';
import type { KeptReport, KeptSample } from './contract.js';

type Reached = Pick<ReachedServices, 'samples' | 'sources' | 'shared' | 'tenants'> & { seesAneuploidy: boolean };

/**
 * Those of the reports that a caller with these services may open. A sample that is registered as it was is one that the caller
 * reaches by its registration; of any other, the caller must reach the file. A report that shows an aneuploidy is for those who
 * may see it.
 */
export async function openable<Report extends Pick<KeptReport, 'facts'>>(
  services: Reached,
  reports: readonly Report[],
  signal: AbortSignal,
): Promise<Report[]> {
  const ids = new Set(reports.flatMap(({ facts }) => facts.samples.flatMap(({ registration }) => registration ?? [])));
  const found = ids.size === 0 ? [] : await services.samples.find([...ids]);
  const registered = new Map(found.map(({ id, file }) => [id, file.path]));
  const files = new Map<string, Promise<boolean>>();

  const reachesFile = (file: string): Promise<boolean> => {
    const known = files.get(file) ?? services.sources.reaches(file);
    files.set(file, known);
    return known;
  };
  const reaches = ({ registration, file }: KeptSample): boolean | Promise<boolean> => {
    const path = registration === undefined ? undefined : registered.get(registration);
    // The sample is the caller's; its earlier file may not have been.
    return path === undefined ? reachesFile(file) : path === file || services.sources.has(file);
  };
  const may = async ({ facts }: Report): Promise<boolean> => {
    if (facts.aneuploidy && !services.seesAneuploidy) return false;
    const answers = await Promise.all(facts.samples.map(reaches));
    return answers.every(Boolean) && (await reachesShared(services, facts, signal));
  };
  const answers = await Promise.all(reports.map(may));
  return reports.filter((_, i) => answers[i]);
}

/** What was compared with samples that other tenants share is for those with whom they are still shared. */
async function reachesShared(
  { shared, tenants }: Reached,
  { shared: used, build }: KeptReport['facts'],
  signal: AbortSignal,
): Promise<boolean> {
  if (used.length === 0 || tenants === undefined) return true;
  const own = new Set((await shared(build, signal)).map(({ dataset }) => dataset));
  return used.every((dataset) => own.has(dataset));
}
