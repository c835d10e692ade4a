/**
 * Door 3: tests of a plugin, by any test runner.
 *
 *     import { serveForTest, storageSubject } from 'trefoil/testing';
 *
 *     const server = await serveForTest({ plugins: { './plugin.js': {} } });
 *     const token = await server.token('gene-notes:write');
 *     await fetch(`${server.url}/gene-notes/PER3`);
 *     await server.close(); // throws if an answer broke its declaration
 *
 * `storageSubject` opens empty storages of a built-in adapter: for `serveForTest`, for tests of a binding, and as the
 * subject of the conformance kit.
 */
export { type ServeOptions, serveForTest, type TestServer } from './testing/server.js';
export { type StorageOptions, storageSubject } from './testing/subject.js';
