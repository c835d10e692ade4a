import { expect } from 'chai';
import { lazyLog } from '../../../core/lazy-log.js';
import { logTo, readableLine } from '../../../core/log.js';

describe('the log', () => {
  function written(details: object, level: 'info' | 'warn' = 'info'): Record<string, unknown>[] {
    const lines: string[] = [];
    logTo({ write: (line) => void lines.push(line) }, { level }).info(details, 'message');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('writes one JSON object per line, with level, time and message', () => {
    const [line] = written({ plugin: 'beacon' });
    expect(line).to.include({ level: 'info', msg: 'message', plugin: 'beacon' });
    expect(line?.time).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(line).to.not.have.any.keys('pid', 'hostname');
  });

  it('writes nothing below its level', () => {
    expect(written({}, 'warn')).to.deep.equal([]);
  });

  it('masks secrets by name, at the top and one level down', () => {
    const secrets = { token: 's1', password: 's2', authorization: 's3', 'x-auth-token': 's4', apiKey: 's5' };
    const text = JSON.stringify(
      written({ ...secrets, headers: secrets, settings: { secret: 's6', passphrase: 's7' } }),
    );
    expect(text).to.not.match(/s[1-7]"/);
    expect(text.split('********')).to.have.length(13);
  });

  it('is opened with the first line that is severe enough', () => {
    const lines: string[] = [];
    let opened = 0;
    const open = () => {
      opened++;
      return logTo({ write: (line) => void lines.push(line) }, { level: 'warn' });
    };
    const log = lazyLog(open, 'warn').child({ plugin: 'beacon' }).child({ part: 'storage' });
    log.debug({}, 'first');
    log.info({}, 'second');
    expect(opened).to.equal(0);
    log.warn({ table: 'alleles' }, 'third');
    log.error({}, 'fourth');
    expect(opened).to.equal(1);
    const [third, fourth] = lines.map((line) => JSON.parse(line));
    expect(third).to.include({ level: 'warn', plugin: 'beacon', part: 'storage', table: 'alleles', msg: 'third' });
    expect(fourth).to.include({ level: 'error', part: 'storage', msg: 'fourth' });
    lazyLog(open, 'silent').error({}, 'fifth');
    expect(lines).to.have.length(2);
  });

  it('has a format that people can read', () => {
    const line = JSON.stringify({
      level: 'info',
      time: '2026-01-02T03:04:05.678Z',
      msg: 'ready',
      url: 'http://x',
      n: [1],
    });
    expect(readableLine(line)).to.equal('03:04:05 info  ready url=http://x n=[1]\n');
  });
});
