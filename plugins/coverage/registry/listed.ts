/** Pages of registered samples, as clients turn them. */
import type { RegisteredSample, SamplePage, SampleRepository } from '../contract.js';

export interface ListedSamples {
  readonly samples: readonly RegisteredSample[];
  /** `after` of the next page; null on the last one. */
  readonly next: string | null;
}

/** Makes pages of at most `limit` samples. */
export function listedFrom(samples: Pick<SampleRepository, 'list'>): (page: SamplePage) => Promise<ListedSamples> {
  return async (page) => {
    const found = await samples.list({ ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    return { samples: shown, next: found.length > page.limit ? (shown.at(-1)?.id ?? null) : null };
  };
}
