/**
 * What the whole suite takes of large sets: of so many the next one each day, so that all are taken in as many days. A run of
 * single files takes all, as `.ci/long` does; TEST_DAY=N takes what a run of that day took.
 */

/** Days since 1970. */
export const today = (): string => String(Math.floor(Date.now() / 86_400_000));

/** One of `share`, in order, another one at each `turn`; all of them outside a run of the whole suite. */
export function sampled<One>(all: readonly One[], share: number, turn = 0): One[] {
  const { TEST_DAY: day } = process.env;
  return day === undefined ? [...all] : all.filter((_, place) => (place + turn + Number(day)) % share === 0);
}

/** How many of random things that are alike: one of `share`; all of them outside a run of the whole suite. */
export const fewer = (all: number, share: number): number =>
  process.env.TEST_DAY === undefined ? all : Math.ceil(all / share);
