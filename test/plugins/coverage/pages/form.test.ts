import { expect } from 'chai';
import fc from 'fast-check';
import { LiteralError, parseLiteral } from '../../../../plugins/coverage/report/form/literal.js';
import { fieldsAgain, type PageRequest, parseForm } from '../../../../plugins/coverage/report/form/request.js';
import { coverageSettings } from '../../../../plugins/coverage/settings.js';
import { en } from '../../../../plugins/coverage/texts/texts.js';

const { levels, limits } = coverageSettings.parse({});

/** Python's `repr` of a value, by its documented rules: single quotes unless only those are inside. */
function repr(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const inner = [...value].map((sign) => {
      if (sign === '\\' || sign === quote) return `\\${sign}`;
      const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[sign];
      if (named) return named;
      const code = sign.codePointAt(0) as number;
      if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
      return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : sign;
    });
    return quote + inner.join('') + quote;
  }
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  return `{${Object.entries(value as object)
    .map(([key, one]) => `${repr(key)}: ${repr(one)}`)
    .join(', ')}}`;
}

function requestOf(fields: Record<string, string | string[]>, page: PageRequest['page'] = 'report'): PageRequest {
  const parsed = parseForm(page, { fields }, { levels, limits, spliceBases: 8 }, en);
  if ('faults' in parsed) throw new Error(parsed.faults.map(({ path, message }) => `${path} ${message}`).join('; '));
  return parsed.request;
}

function faultsOf(fields: Record<string, string | string[]>, page: PageRequest['page'] = 'report'): string[] {
  const parsed = parseForm(page, { fields }, { levels, limits, spliceBases: 8 }, en);
  return 'faults' in parsed ? parsed.faults.map(({ path }) => path) : [];
}

const samples = '[{"name": "s", "coverage_file_path": "/d/s.d4"}]';
const form = { build: 'GRCh38', samples, interval_type: 'genes', hgnc_gene_ids: '7436' };

describe('coverage pages: forms', () => {
  describe('Python literals', () => {
    it('reads back any output of Python', () => {
      const value = fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 4 },
          fc.string({ unit: 'grapheme' }),
          fc.string({ unit: fc.constantFrom("'", '"', '\\', 'n', 'u', 'x', '\n', ',', ']', '}', 'å', '😀') }),
          fc.integer(),
          fc.constantFrom(null, true, false),
          fc.array(tie('value')),
          fc.dictionary(fc.string(), tie('value')),
        ),
      })).value;
      fc.assert(
        fc.property(value, (one) => {
          expect(JSON.stringify(parseLiteral(repr(one)))).to.equal(JSON.stringify(one));
          expect(JSON.stringify(parseLiteral(JSON.stringify(one)))).to.equal(JSON.stringify(one));
        }),
        { numRuns: 500 },
      );
    });

    it('reads tuples, adjacent strings, trailing commas and escapes', () => {
      expect(parseLiteral(`('a' "b", u'c',)`)).to.deep.equal(['ab', 'c']);
      expect(parseLiteral(`('a')`)).to.equal('a');
      expect(parseLiteral(String.raw`'\x41\u00e5\101\q\/'`)).to.equal(String.raw`AåA\q/`);
      expect(parseLiteral('[1, -2.5, 1e3, 1_000]')).to.deep.equal([1, -2.5, 1000, 1000]);
    });

    it('names the position of a fault, and never executes anything', () => {
      for (const [text, position] of [
        [`[{'name': 'O'Neill'}]`, 14],
        [`['a`, 2],
        ['[1', 3],
        ['__import__("os")', 1],
        [`{'a': 1}, 2`, 9],
        [`${'['.repeat(1000)}`, 33],
      ] as const) {
        expect(() => parseLiteral(text), text.slice(0, 30))
          .to.throw(LiteralError)
          .with.property('position', position);
      }
    });
  });

  it('refuses a list of very many samples, as JSON and as Python text', () => {
    const many = `[${'1, '.repeat(150_000)}1]`;
    for (const samples of [many, `[None, ${many.slice(1)}`, [many, many] as unknown as string]) {
      expect(faultsOf({ ...form, samples })).to.include('samples');
    }
  });

  it('reads the samples that Scout sends, also with quotes inside names and None', () => {
    const sent = String.raw`[{'name': "O'Neill", 'coverage_file_path': '/d/a.d4', 'case_name': None, 'analysis_date': '2023-04-23T10:20:30.400+02:30'}, {'name': 'say "hi"', 'coverage_file_path': '/d/b.d4', 'case_name': 'it\'s', 'analysis_date': '2023-04-23'}]`;
    expect(requestOf({ ...form, samples: sent }).samples).to.deep.equal([
      { name: "O'Neill", path: '/d/a.d4', analysed: '2023-04-23' },
      { name: 'say "hi"', path: '/d/b.d4', caseName: "it's", analysed: '2023-04-23' },
    ]);
  });

  it('accepts any kind of id in any gene field, repeated fields, and any separator', () => {
    const { genes } = requestOf({
      ...form,
      hgnc_gene_ids: ['7436, MTHFR', 'HGNC:2861;'],
      ensembl_gene_ids: 'ENSG00000110195.13\nfolr1',
      hgnc_gene_symbols: "['DHFR', '7436']",
    });
    expect(genes).to.deep.equal(['7436', 'MTHFR', 'HGNC:2861', 'DHFR', 'ENSG00000110195.13', 'folr1']);
  });

  it('sorts thresholds and always includes the level', () => {
    const asked = { ...form, completeness_thresholds: ['50,10', '30'], default_level: '25' };
    expect(requestOf(asked).thresholds).to.deep.equal([10, 25, 30, 50]);
    expect(requestOf(form)).to.include({ level: 10, type: 'genes', transcripts: 'preferred' });
    expect(requestOf(form).thresholds).to.deep.equal([10, 15, 20, 50, 100]);
  });

  it('uses the last of several buttons', () => {
    expect(requestOf({ ...form, default_level: ['10', '20'] }).level).to.equal(20);
    expect(requestOf({ ...form, hgnc_gene_id: ['MTHFR', '2861'] }, 'gene_overview').genes).to.deep.equal(['2861']);
  });

  it('uses the gene of the gene page if there is no list', () => {
    const { hgnc_gene_ids: _, ...rest } = form;
    expect(requestOf({ ...rest, hgnc_gene_id: 'MTHFR' }).genes).to.deep.equal(['MTHFR']);
    expect(requestOf({ ...form, hgnc_gene_id: 'MTHFR' }).genes).to.deep.equal(['7436']);
  });

  it('accepts a target BED instead of genes', () => {
    const { hgnc_gene_ids: _, ...rest } = form;
    const custom = { ...rest, interval_type: 'custom_intervals' };
    const line = '1\t5\t9';
    const bedsOf = (more: Record<string, string>) => requestOf({ ...custom, ...more }).beds;
    expect(bedsOf({ intervals_bed: line })).to.deep.equal([{ number: 1, text: line }]);
    expect(bedsOf({ intervals_bed_path: 'a.bed' })).to.deep.equal([{ number: 1, path: 'a.bed' }]);
    expect(bedsOf({ intervals_bed_path: 'a.bed', intervals_bed: line })).to.deep.equal([{ number: 1, text: line }]);
    expect(faultsOf(custom)).to.deep.equal(['intervals_bed_path']);
    expect(faultsOf({ ...custom, intervals_bed_name: 'x', intervals_bed_2: ' ' })).to.deep.equal([
      'intervals_bed_path',
    ]);
  });

  it('accepts several, by number, and sends them again', () => {
    const { hgnc_gene_ids: _, ...rest } = form;
    const custom = { ...rest, interval_type: 'custom_intervals' };
    const files = { intervals_bed_path: 'a.bed', intervals_bed_3: '1\t5\t9', intervals_bed_name_3: 'mine' };
    const request = requestOf({ ...custom, ...files, intervals_bed_path_2: ' ' });
    expect(request.beds).to.deep.equal([
      { number: 1, path: 'a.bed' },
      { number: 3, text: '1\t5\t9', name: 'mine' },
    ]);
    expect(fieldsAgain(request, custom)).to.include(files);
    expect(requestOf({ ...custom, intervals_bed_path_1: 'b.bed' }).beds).to.deep.equal([{ number: 1, path: 'b.bed' }]);
    expect(requestOf({ ...custom, intervals_bed_path_2: 'b.bed' }).beds).to.deep.equal([{ number: 2, path: 'b.bed' }]);
    const many = Array.from({ length: 21 }, (__, i) => [`intervals_bed_path_${i + 1}`, 'a.bed']);
    expect(faultsOf({ ...custom, ...Object.fromEntries(many) })).to.deep.equal(['intervals_bed_path_21']);
    const long = 'x'.repeat(200_000);
    expect(faultsOf({ ...custom, intervals_bed: long, intervals_bed_2: long, intervals_bed_3: long })).to.deep.equal([
      'intervals_bed_3',
    ]);
  });

  it('names all faults at once', () => {
    expect(faultsOf({})).to.deep.equal(['build', 'samples']);
    expect(faultsOf({}, 'gene_overview')).to.deep.equal(['build', 'samples', 'hgnc_gene_id']);
    expect(
      faultsOf({
        build: 'hg19',
        samples: "[{'name': ''}, 3]",
        interval_type: 'introns',
        default_level: 'ten',
        completeness_thresholds: '10,-1',
        hgnc_gene_ids: 'x'.repeat(10_000),
        panel_name: 'x'.repeat(10_000),
        transcripts: 'best',
      }),
    ).to.have.members([
      ...['build', 'samples.0.name', 'samples.0.coverage_file_path', 'samples.1', 'default_level'],
      ...['completeness_thresholds', 'interval_type', 'transcripts', 'hgnc_gene_ids'],
    ]);
    expect(
      faultsOf({
        ...form,
        samples: '[{"name": "s", "coverage_file_path": "a"}, {"name": "s", "coverage_file_path": "b"}]',
      }),
    ).to.deep.equal(['samples.1.name']);
    const dated = (day: string) => `[{"name": "s", "coverage_file_path": "a", "analysis_date": "${day}"}]`;
    for (const day of ['2026-02-30', '2026-13-01', 'yesterday', '23/04/2026']) {
      expect(faultsOf({ ...form, samples: dated(day) }), day).to.deep.equal(['samples.0.analysis_date']);
    }
    expect(requestOf({ ...form, samples: dated('2024-02-29') }).samples[0]?.analysed).to.equal('2024-02-29');
  });
});
