/** The samples that a file names, for commands of the audit. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { namesIn } from '../../../core/cli/audit.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';

describe('the audit: samples in a file', () => {
  const folder = useFolder();

  async function named(text: string, encoding: BufferEncoding): Promise<string[]> {
    const file = join(folder.path(), 'samples.txt');
    await writeFile(file, text, encoding);
    return namesIn({ sample: ['P1'], sampleFile: file });
  }

  it('are one on each line, beside those of the options, each once', async () => {
    expect(await named('\uFEFFP2\r\n\r\n P å \r\nP1\r\nP2', 'utf8')).to.deep.equal([
      'sample:P1',
      'sample:P2',
      'sample:P å',
    ]);
  });

  it('are refused in another encoding, in which no entry would be found', async () => {
    expect((await faultOf(named('På\n', 'latin1'), 'unprocessable')).message).to.match(
      /samples\.txt is not UTF-8 text$/,
    );
    expect((await faultOf(named('\n \n', 'utf8'), 'invalid')).message).to.match(/samples\.txt names no sample$/);
    const missing = namesIn({ sampleFile: join(folder.path(), 'none.txt') });
    expect((await faultOf(missing, 'unprocessable')).message).to.match(/none\.txt cannot be read \(ENOENT\)$/);
  });
});
