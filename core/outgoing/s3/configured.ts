/** The buckets of the configuration. Nothing is loaded if it has none. */
import type { StorageLog } from '../../storage.js';
import type { S3 } from './s3.js';
import type { S3Store } from './settings.js';

export async function s3Of(stores: readonly S3Store[], log?: Pick<StorageLog, 'warn'>): Promise<S3 | undefined> {
  if (stores.length === 0) return undefined;
  const { createS3 } = await import('./s3.js');
  return createS3({ stores, log });
}
