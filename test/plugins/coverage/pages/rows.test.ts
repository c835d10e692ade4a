import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { filesUnder } from '../../../../core/files/open.js';
import { demoFolder } from '../../../../plugins/coverage/demo/demo.js';
import { coverageFileList } from '../../../../plugins/coverage/measure/sources.js';
import { parseForm } from '../../../../plugins/coverage/report/form/request.js';
import { coverageSettings } from '../../../../plugins/coverage/settings.js';
import { en } from '../../../../plugins/coverage/texts/texts.js';
import { blockFolder } from '../../../support/folder.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage, useTokens } from '../support/serve.js';
import { demoForm, type Fields, post } from './support/post.js';

const { levels, limits } = coverageSettings.parse({});
const { samples: _, ...withoutSamples } = demoForm;

/** The demo trio as rows: row numbers may have gaps, and rows may be empty. */
const rows: Fields = {
  ...{ sample_name_1: 'child', sample_file_1: 'child.d4', sample_sex_1: 'male', sample_group_1: 'trio' },
  ...{ sample_date_1: '2026-04-23', sample_name_2: ' ', sample_file_2: '', sample_sex_2: '', sample_group_2: '' },
  ...{ sample_name_10: 'mother', sample_file_10: 'mother.d4', sample_sex_10: 'female', sample_group_10: '' },
  ...{ sample_name_9: 'father', sample_file_9: 'father.d4' },
};

function parsed(fields: Fields) {
  return parseForm('report', { fields: { ...withoutSamples, ...fields } }, { levels, limits, spliceBases: 8 }, en);
}

function faultsOf(fields: Fields): string[] {
  const found = parsed(fields);
  return 'faults' in found ? found.faults.map(({ path, message }) => `${path} ${message}`) : [];
}

/** The values of a page's fields by name. */
function valuesIn(markup: string): Record<string, string> {
  return Object.fromEntries(
    [...markup.matchAll(/<input[^>]* name="(sample_\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

function filesIn(markup: string): string[] {
  const list = /<datalist id="coverage-files">(.*?)<\/datalist>/s.exec(markup)?.[1] ?? '';
  return [...list.matchAll(/<option value="([^"]*)">/g)].map(([, path = '']) => path);
}

describe('coverage pages: samples as rows', () => {
  describe('the form', () => {
    it('reads rows by number, skips empty ones, and appends listed samples', () => {
      const listed = '[{"name": "s", "coverage_file_path": "/d/s.d4"}]';
      const found = parsed({ ...rows, samples: listed });
      if ('faults' in found) throw new Error(JSON.stringify(found.faults));
      expect(found.request.samples).to.deep.equal([
        { name: 'child', path: 'child.d4', caseName: 'trio', analysed: '2026-04-23', sex: 'male' },
        { name: 'father', path: 'father.d4' },
        { name: 'mother', path: 'mother.d4', sex: 'female' },
        { name: 's', path: '/d/s.d4' },
      ]);
    });

    it('names the row and the field of every fault', () => {
      expect(faultsOf({ sample_name_1: 'a', sample_file_1: '' })).to.deep.equal(['sample_file_1 is missing']);
      expect(faultsOf({ sample_name_1: '', sample_file_1: 'a' })).to.deep.equal(['sample_name_1 is missing']);
      expect(
        faultsOf({ ...rows, sample_sex_1: 'woman', sample_group_9: 'x'.repeat(201), sample_date_10: '2026-02-30' }),
      ).to.deep.equal([
        'sample_sex_1 must be female, male or unknown',
        'sample_group_9 is longer than 200 characters',
        'sample_date_10 must begin with a date such as 2026-04-23',
      ]);
      expect(faultsOf({ ...rows, sample_name_9: 'child' })).to.deep.equal([
        'sample_name_9 is also the name of another sample: child',
      ]);
      expect(faultsOf({ ...rows, samples: '[{"name": "child", "coverage_file_path": "a"}]' })).to.deep.equal([
        'samples.0.name has two samples called child',
      ]);
      expect(faultsOf({ sample_sex_3: 'female' })).to.have.lengthOf(2);
      const listed = '[{"coverage_file_path": 1, "analysis_date": 2026, "sex": []}, {"analysis_date": "2026-13-01"}]';
      expect(faultsOf({ samples: listed })).to.deep.equal([
        'samples.0.name sample 1, name: is missing',
        'samples.0.coverage_file_path sample 1, coverage_file_path: must be text',
        'samples.0.analysis_date sample 1, analysis_date: must begin with a date such as 2026-04-23',
        'samples.0.sex sample 1, sex: must be female, male or unknown',
        'samples.1.name sample 2, name: is missing',
        'samples.1.coverage_file_path sample 2, coverage_file_path: is missing',
        'samples.1.analysis_date sample 2, analysis_date: must begin with a date such as 2026-04-23',
      ]);
    });

    it('refuses no samples, too many, and names that only resemble those of rows', () => {
      expect(faultsOf({})).to.deep.equal(['samples must name at least one sample']);
      for (const name of ['sample_name_0', 'sample_name_01', 'sample_name_', 'sample_name_1x', 'sample_names_1']) {
        expect(faultsOf({ [name]: 'a' }), name).to.deep.equal(['samples must name at least one sample']);
      }
      const many = Object.fromEntries(
        Array.from({ length: limits.samples + 1 }, (_, i) => [
          [`sample_name_${i + 1}`, `s${i}`],
          [`sample_file_${i + 1}`, 'a.d4'],
        ]).flat(),
      );
      expect(faultsOf(many)).to.deep.equal([`samples has more than ${limits.samples} entries`]);
    });
  });

  describe('the list of files', () => {
    const folder = blockFolder();
    before(async () => {
      const [root, other, outside] = [join(folder, 'root'), join(folder, 'other'), join(folder, 'outside')];
      for (const one of ['root/case/.hidden', 'root/.git', 'root/folder.d4', 'other', 'outside/in']) {
        await mkdir(join(folder, one), { recursive: true });
      }
      const files = ['root/s10.d4', 'root/s2.d4', 'root/case/a"<b>.d4', 'root/.x.d4', 'root/case/.hidden/y.d4'];
      files.push('root/.git/z.d4', 'root/notes.txt', 'root/line\nbreak.d4', 'root/blank .d4', 'root/ blank.d4');
      files.push('other/s2.d4', 'other/o.d4', 'outside/secret.d4', 'outside/in/deep.d4');
      for (const one of files) await writeFile(join(folder, one), '');
      await symlink(join(outside, 'secret.d4'), join(root, 'stolen.d4'));
      await symlink(join(outside, 'in'), join(root, 'way-out'));
      await symlink(join(root, 'gone.d4'), join(root, 'dangling.d4'));
      await symlink(root, join(root, 'case', 'loop'));
      await symlink('s2.d4', join(root, 'link.d4'));
      await link(join(root, 's2.d4'), join(other, 'hard.d4'));
    });

    const list = (most = 100, entries = 1000, names = ['root', 'other', 'missing']) =>
      filesUnder(
        names.map((name) => join(folder, name)),
        { ending: '.d4', most, entries },
      );

    it('has relative paths of readable files, without hidden ones and links that lead outside', async () => {
      expect(await list()).to.deep.equal({
        paths: ['blank .d4', 'case/a"<b>.d4', 'hard.d4', 'link.d4', 'o.d4', 's2.d4', 's10.d4'],
        isCut: false,
      });
    });

    it('is bounded in files and in inspected entries', async () => {
      const first = await list(3);
      expect(first.paths).to.have.lengthOf(3);
      expect(first.isCut).to.equal(true);
      expect((await list(7)).isCut).to.equal(false);
      const few = await list(100, 2);
      expect(few.paths.length).to.be.at.most(2);
      expect(few.isCut).to.equal(true);
      expect((await list(100, 3, ['other'])).isCut).to.equal(false);
      expect((await list(100, 2, ['other'])).isCut).to.equal(true);
    });

    it('is cached for some seconds, and one scan serves all callers that wait', async () => {
      let now = 0;
      const listed = coverageFileList([join(folder, 'other')], 100, () => now);
      const [one, two] = [listed(), listed()];
      expect(one).to.equal(two);
      expect((await one).paths).to.deep.equal(['hard.d4', 'o.d4', 's2.d4']);
      now = 9_999;
      expect(listed()).to.equal(one);
      now = 10_001;
      expect(listed()).not.to.equal(one);
      expect(await coverageFileList([folder], 0)()).to.deep.equal({ paths: [], isCut: false });
    });
  });

  describe('over HTTP', () => {
    const server = useOnce(() => serveCoverage({ demo: true, settings: { limits: { samples: 4 } } }));

    it('measures rows like the list', async () => {
      const fromRows = await post(`${server.url}/report`, { ...withoutSamples, ...rows, format: 'csv' });
      expect(fromRows.status).to.equal(200);
      const list = [
        { name: 'child', coverage_file_path: 'child.d4', case_name: 'trio', analysis_date: '2026-04-23', sex: 'male' },
        { name: 'father', coverage_file_path: 'father.d4' },
        { name: 'mother', coverage_file_path: 'mother.d4', sex: 'female' },
      ];
      for (const samples of [JSON.stringify(list), `${JSON.stringify(list).replaceAll('"', "'")}`]) {
        const fromList = await post(`${server.url}/report`, { ...withoutSamples, samples, format: 'csv' });
        expect(fromRows.text).to.equal(fromList.text);
      }
      const page = await post(`${server.url}/report`, { ...withoutSamples, samples: JSON.stringify(list) });
      expect(valuesIn(page.text)).to.deep.include({
        ...{ sample_name_1: 'child', sample_file_1: 'child.d4', sample_group_1: 'trio', sample_date_1: '2026-04-23' },
        ...{ sample_name_3: 'mother', sample_file_3: 'mother.d4' },
      });
    });

    it('keeps a name with a line break, which a row cannot express, in the list', async () => {
      const samples = JSON.stringify([{ name: 'two\nlines', coverage_file_path: 'child.d4' }]);
      const { status, text } = await post(`${server.url}/report`, { ...withoutSamples, samples });
      expect(status).to.equal(200);
      expect(text).to.include('two\\nlines');
    });

    it('adds a row and keeps all values', async () => {
      const { status, text } = await post(`${server.url}/coverage`, {
        ...{ sample_name_1: '<b>"x"', sample_file_1: 'no/such.d4', sample_sex_1: 'female', add_sample: '1' },
        ...{ build: 'GRCh37', hgnc_gene_ids: 'MTHFR', panel_name: 'P', samples: 'not JSON', lang: 'sv' },
      });
      expect(status).to.equal(200);
      expect(text).to.include('<html lang="sv">').and.include('Prov 2').and.not.include('<b>"x"');
      expect(valuesIn(text)).to.deep.equal({
        ...{ sample_name_1: '&lt;b&gt;&quot;x&quot;', sample_file_1: 'no/such.d4', sample_group_1: '' },
        ...{ sample_name_2: '', sample_file_2: '', sample_group_2: '' },
      });
      expect(text).to.include('<option value="female" selected>kvinna').and.include('<option value="GRCh37" selected>');
      expect(text).to.include('not JSON').and.include('MTHFR');
      expect(text).to.match(/id="sample_name_2"[^>]* autofocus/);
    });

    it('turns a list into rows, and offers no more than a request may have', async () => {
      const samples = JSON.stringify(['a', 'b', 'c'].map((name) => ({ name, coverage_file_path: `${name}.d4` })));
      const four = await post(`${server.url}/coverage`, { samples, add_sample: '1' });
      expect(valuesIn(four.text)).to.include({ sample_name_3: 'c', sample_file_3: 'c.d4', sample_name_4: '' });
      expect(four.text).not.to.include('name="add_sample"');
      const names = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`sample_name_${i + 1}`, `s${i}`]));
      const again = await post(`${server.url}/coverage`, { ...names, add_sample: '1' });
      expect(again.text.match(/<fieldset class="sample">/g)).to.have.lengthOf(4);
    });

    it('offers the files by relative path', async () => {
      for (const text of [
        await (await fetch(`${server.url}/coverage`)).text(),
        (await post(`${server.url}/coverage`, { add_sample: '1' })).text,
        (await post(`${server.url}/report`, { ...withoutSamples, sample_name_1: 'a' })).text,
      ]) {
        expect(filesIn(text)).to.deep.equal(['child.d4', 'father.d4', 'mother.d4']);
        expect(text).not.to.include(demoFolder);
      }
    });

    it('names the invalid field and its row, on the page and to programs', async () => {
      const wrong = { ...withoutSamples, ...rows, sample_file_9: '', sample_sex_1: 'woman' };
      const { status, text } = await post(`${server.url}/report`, wrong);
      expect(status).to.equal(422);
      const reasons = /role="alert".*?<\/section>/s.exec(text)?.[0].replace(/<[^>]*>/g, '');
      expect(reasons).to.include('D4 file of sample 9 is missing');
      expect(reasons).to.include('Declared sex of sample 1 must be female, male or unknown');
      expect(text).to.match(/id="sample_file_9"[^>]* aria-invalid="true" aria-describedby="[^"]*reason-sample_file_9"/);
      expect(text).to.include('<li id="reason-sample_file_9">').and.include('<option value="woman" selected>');
      expect(valuesIn(text)).to.include({ sample_name_10: 'mother', sample_date_1: '2026-04-23' });
      const swedish = await post(`${server.url}/report`, { ...wrong, lang: 'sv' });
      expect(swedish.text.replace(/<[^>]*>/g, '')).to.include('D4-fil för prov 9 saknas');
      const told = await post(`${server.url}/report`, wrong, { accept: 'application/json' });
      expect(told.status).to.equal(422);
      expect(told.text).to.include('sample_file_9').and.include('is missing');
    });

    it('names the sample of a row whose file does not exist', async () => {
      const { status, text } = await post(`${server.url}/report`, {
        ...withoutSamples,
        ...{ sample_name_1: 'lost', sample_file_1: 'no/such.d4' },
      });
      expect(status).to.equal(422);
      expect(/role="alert".*?<\/section>/s.exec(text)?.[0]).to.include('lost');
    });

    it('refuses an invalid form, as a page and as JSON', async () => {
      for (const [accept, type] of [
        ['text/html', /^text\/html/],
        ['application/json', /^application\/json/],
      ] as const) {
        const headers = { accept, 'content-type': 'application/json' };
        const answer = await fetch(`${server.url}/coverage`, { method: 'POST', body: '{}', headers });
        expect(answer.status).to.equal(415);
        expect(answer.headers.get('content-type')).to.match(type);
      }
      const huge = await post(`${server.url}/coverage`, { samples: 'x'.repeat(5 * 2 ** 20) });
      expect(huge.status).to.equal(413);
      expect(huge.text).to.include('The form is too large.');
    });
  });

  describe('with a token', () => {
    const { provider, server } = useTokens({ demo: true });

    it('lists files only with a valid one, from a cookie or the form', async () => {
      const [token, expired] = [await provider().token(), await provider().token({ expires: -60 })];
      const all = ['child.d4', 'father.d4', 'mother.d4'];
      const shown = async (headers: Record<string, string>) => {
        const response = await fetch(`${server().url}/coverage`, { headers });
        expect(response.status).to.equal(200);
        return filesIn(await response.text());
      };
      expect(await shown({})).to.deep.equal([]);
      expect(await shown({ cookie: `access_token=${expired}` })).to.deep.equal([]);
      expect(await shown({ cookie: `access_token=${token}` })).to.deep.equal(all);

      for (const [fields, headers, files] of [
        [{}, {}, []],
        [{ access_token: expired }, {}, []],
        [{ access_token: token }, {}, all],
        [{}, { cookie: `access_token=${token}` }, all],
        [{ access_token: token }, { cookie: `access_token=${expired}` }, all],
      ] as const) {
        const { status, text } = await post(
          `${server().url}/coverage`,
          { ...fields, sample_name_1: '', add_sample: '1' },
          headers,
        );
        expect(status).to.equal(200);
        expect(filesIn(text)).to.deep.equal(files);
        expect(text).not.to.include(token).and.not.to.include(expired);
        expect(text).to.include('id="sample_name_2"');
      }
      expect(server().log()).not.to.include(token);
    });

    it('lists none on the demo pages, which need no token', async () => {
      const refused = await fetch(`${server().url}/report/demo?default_level=many`, {
        headers: { accept: 'text/html' },
      });
      expect(refused.status).to.equal(422);
      expect(filesIn(await refused.text())).to.deep.equal([]);
    });
  });

  it('lists none if the settings say so', async () => {
    const server = await serveCoverage({ demo: true, settings: { files: { listed: 0 } } });
    try {
      expect(filesIn(await (await fetch(`${server.url}/coverage`)).text())).to.deep.equal([]);
    } finally {
      await server.close();
    }
  });
});
