/** Sessions that a PostgreSQL server ends: with a connection (its disk is full, say), or in the middle of a commit. */
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import postgresAdapter from '../../../adapters/postgres/adapter.js';
import { commit } from '../../../adapters/postgres/errors.js';
import { settings as postgresSettings } from '../../../adapters/postgres/settings.js';
import { tokens } from '../../../core/auth/contract.js';
import { faultOf } from '../../support/fault.js';
import { quiet } from '../../support/storages.js';

/** A message of PostgreSQL's protocol, version 3: a letter, the length, the contents. */
function message(letter: string, ...contents: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(contents.map((each) => (typeof each === 'string' ? Buffer.from(`${each}\0`) : each)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(letter), length, body]);
}
const welcome = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]);
const error = (severity: string, code: string, text: string) =>
  message('E', `S${severity}`, `C${code}`, `M${text}`, Buffer.alloc(1));

describe('Sessions that PostgreSQL ends', () => {
  let server: Server;
  /** What the server sends for each message that arrives, in order; it closes the connection after the last. */
  let script: Buffer[];
  let port: number;

  before(async () => {
    server = createServer((socket) => {
      const answers = [...script];
      socket.on('error', () => undefined);
      socket.on('data', () => {
        const answer = answers.shift();
        if (answer) socket.write(answer);
        if (answers.length === 0) socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as { port: number });
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  it('at a connection are an outage, whatever its code', async () => {
    // What PostgreSQL 15 sends if its disk is full.
    script = [error('FATAL', 'XX000', 'could not write init file')];
    const fault = await faultOf(
      postgresAdapter.open({
        settings: postgresSettings.parse({ host: '127.0.0.1', port, database: 'lab', password: 'secret' }),
        contracts: [tokens],
        bindings: new Map(),
        log: quiet,
      }),
    );
    expect(fault).to.include({ code: 'unavailable', public: 'The storage does not answer at the moment' });
    expect(fault.message).to.include(`database lab on 127.0.0.1:${port} ended the connection (SQLSTATE XX000)`);
  });

  for (const [severity, code] of [
    ['PANIC', '53100'],
    ['FATAL', '53100'],
    ['FATAL', 'XX000'],
    ['FATAL', '57P01'],
  ] as const) {
    it(`during a commit leave its outcome unknown: ${severity} ${code}`, async () => {
      script = [welcome, error(severity, code, 'could not write to file "pg_wal/xlogtemp.1"')];
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'trefoil' });
      client.on('error', () => undefined);
      await client.connect();
      const where = { host: '127.0.0.1', port, database: 'lab', user: 'trefoil' };
      const fault = await faultOf(commit(client, where, { isPositioned: false }));
      expect(fault.code).to.equal('unavailable');
      expect(fault.public).to.match(/it may have been saved, or not/);
      await client.end();
    });
  }
});
