/** Files that are no text: workbooks and archives. */
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { decodeText } from '../../../core/files.js';
import { faultOf } from '../../support/fault.js';

describe('text files', () => {
  const zip = (text: string) => Buffer.from(`PK\u0003\u0004\u0014\u0000\u0000\u0000${text}`, 'latin1');

  it('are not workbooks, of which the refusal says how to save them', async () => {
    const xlsx = zip('[Content_Types].xml…xl/workbook.xml');
    for (const [bytes, kind] of [
      [xlsx, 'xlsx'],
      [gzipSync(xlsx), 'xlsx'],
      [zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), 'ods'],
      [Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), 'xls'],
    ] as const) {
      const { code, message } = await faultOf(decodeText('panel', bytes));
      expect([code, message]).to.deep.equal([
        'unprocessable',
        `panel is a workbook (${kind}) and not text: save its sheet as text, in the spreadsheet program by "Save as" as "Text (Tab delimited)" or "CSV UTF-8"`,
      ]);
    }
  });

  it('are not archives', async () => {
    expect((await faultOf(decodeText('a.zip', zip('panel.txt')))).message).to.equal(
      'a.zip is a ZIP archive and not text: unpack it',
    );
  });

  it('may begin with PK', async () => {
    expect((await decodeText('list.txt', Buffer.from('PKD1\nPKD2\n'))).text).to.equal('PKD1\nPKD2\n');
  });
});
