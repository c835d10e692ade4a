/** The depths of all intervals together, without results for each. */
import { Clock } from '../clock.js';
import type { Track } from '../track.js';
import { pooledQuestion } from './results.js';
import { type DepthCount, depthCounts, piecesOf, type StatisticsRequest, type Sweeper } from './statistics.js';

export type PooledRequest = Pick<StatisticsRequest, 'intervals' | 'alias' | 'signal'>;

/** One histogram, in memory that does not grow with the number of intervals beyond their coordinates. */
export async function pooledHistogram(track: Track, request: PooledRequest, sweeper: Sweeper): Promise<DepthCount[]> {
  const { pieces } = await piecesOf(track, request, new Clock(request.signal));
  const { histograms } = await sweeper(track, pieces, pooledQuestion, request.signal);
  return histograms.flatMap((histogram) => depthCounts(histogram, track.denominator));
}
