/**
 * Insertions and deletions in repeats, with and without a reference: every face finds an allele however it is written, and counts
 * a sample that has it in two forms once. Against brute force: two alleles are one if they give the same sequence.
 */
import { expect } from 'chai';
import { openSource } from '../../../core/files.js';
import { type Allele, alleleKey, type BeaconRepository, kindsOf, trimmed } from '../../../plugins/beacon/contract.js';
import { leftAligned } from '../../../plugins/beacon/domain/left-aligned.js';
import { loadVariants, type VariantLoadRequest } from '../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { Panel } from '../../../plugins/beacon/vcf/panel.js';
import { formsBy, withReferences } from '../../../plugins/beacon/vcf/reference/aligned.js';
import { referencesIn } from '../../../plugins/beacon/vcf/reference/packed.js';
import { dealt } from '../../support/dealt.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { fewer } from '../../support/sample.js';
import { engines } from './support/engines.js';
import { throughEveryFace } from './support/every-face.js';
import {
  alleleAt,
  fastaOf,
  haplotype,
  loadFasta,
  numbersFrom,
  randomIndel,
  referenceOf,
  repeatedSequence,
} from './support/reference.js';
import { type Beacon, dataset, loadText, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';

/** Alleles of the comparison. */
const alleles = Number(process.env.TEST_INDELS ?? fewer(60, 2));
const samples = ['a', 'b', 'c', 'd'];

/** Writes an allele as another record might: elsewhere in its repeat, with more bases beside it. */
function respelled(sequence: string, allele: Allele, random: (most: number) => number): Allele {
  const wanted = haplotype(sequence, allele);
  const longer = allele.alternate.length - allele.reference.length;
  for (let tries = 0; tries < 60; tries++) {
    const start = Math.max(0, allele.start - 6 + random(12));
    const end = start + Math.max(1, 1 - longer) + random(4);
    const alternate = wanted.slice(start, end + longer);
    const other = alleleAt(allele.contig, start, sequence.slice(start, end), alternate);
    if (alternate !== '' && end <= sequence.length && haplotype(sequence, other) === wanted) return other;
  }
  return allele;
}

/** The change as HGVS writes it, and by the bases that are replaced alone. */
function changesOf(sequence: string, allele: Allele): Record<string, string>[] {
  const { start, reference, alternate } = trimmed(allele);
  if (Math.min(reference.length, alternate.length) > 1) return [];
  const isBefore = reference[0] === alternate[0];
  const [replaced, put] = [reference, alternate].map((bases) => (isBefore ? bases.slice(1) : bases.slice(0, -1))) as [
    string,
    string,
  ];
  const at = isBefore ? start + 1 : start;
  if (at === 0 || at >= sequence.length || (replaced !== '' && put !== '')) return [];
  const change = replaced === '' ? `${at}_${at + 1}ins${put}` : `${at + 1}_${at + replaced.length}del`;
  const bases = { start: String(at), referenceBases: replaced, alternateBases: put };
  return [
    { genomicAlleleShortForm: `NC_000020.10:g.${change}` },
    { assemblyId: 'GRCh37', referenceName: '20', ...bases },
  ];
}

const recordOf = ({ start, reference, alternate }: Allele, genotypes: readonly string[]) =>
  `20 ${start + 1} . ${reference} ${alternate} . . . GT ${genotypes.join(' ')}`;

const parametersOf = ({ start, reference, alternate }: Allele) => ({
  ...{ assemblyId: 'GRCh37', referenceName: '20', start, referenceBases: reference, alternateBases: alternate },
});

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: alleles by a reference (${engine.name})`, function () {
    this.timeout(120_000 + 200 * alleles);
    const folder = useFolder();
    const random = numbersFrom(29);
    const sequence = repeatedSequence(3000, random);
    const written = Array.from({ length: alleles }, () => randomIndel('20', sequence, random));
    const all = [...written, ...written.slice(0, alleles / 3).map((one) => respelled(sequence, one, random))];
    // Of one form that comes twice the first record counts.
    const forms = [...new Map(all.map((one) => [alleleKey(trimmed(one)), one])).values()];
    const sequences = new Map(forms.map((one) => [one, haplotype(sequence, one)]));
    const carriers = forms.map(() => samples.map(() => ['0/0', '0/1', '1/1', './.'][random(4)] as string));
    const records = forms
      .map((one, i) => ({ start: one.start, text: recordOf(one, carriers[i] as string[]) }))
      .sort((one, other) => one.start - other.start);
    const text = vcf({ samples, records: records.map((one) => one.text) });
    let beacon: Beacon;

    /** Samples with one of the alleles. */
    const withOne = (isOne: (form: Allele) => boolean) =>
      samples.filter((_, sample) => forms.some((form, i) => isOne(form) && /1/.test(carriers[i]?.[sample] ?? '')))
        .length;

    const serve = async (isLoaded: boolean) => {
      if (isLoaded) await loadFasta(folder.path(), fastaOf({ chr20: sequence }));
      beacon = await serveBeacon(engine, { settings: { references: { folder: folder.path() } } });
      const repository = withReferences(beacon.repository, referencesIn(folder.path()));
      await repository.addDataset(dataset('own'), new Date());
      return repository;
    };
    /** As the command does, with the check of REF. */
    const loadChecked = async (
      repository: BeaconRepository,
      lines: string[],
      names = samples,
      more: Partial<VariantLoadRequest> = {},
    ) => {
      const file = await folder.write('checked.vcf', vcf({ samples: names, records: lines }));
      const own = await repository.dataset('own');
      if (!own) throw new Error('there is no dataset');
      const references = referencesIn(folder.path());
      const request = { permit: permitAll, repository, dataset: own, references, samples: [], now: new Date() };
      return loadVariants({ ...request, ...more, sources: [await openSource(file)] });
    };
    afterEach(() => beacon.close());

    it('are asked for as they are written and left-aligned, where a dataset was not rewritten yet', async () => {
      const repository = await serve(true);
      await loadText(beacon.repository, 'own', text);
      const faces = await throughEveryFace(beacon);
      const reference = referenceOf({ 20: sequence });
      let found = 0;
      for (const form of forms) {
        for (const asked of [form, respelled(sequence, form, random)]) {
          const keys = [alleleKey(trimmed(asked)), alleleKey(leftAligned(asked, reference))];
          const expected = withOne((one) => keys.includes(alleleKey(trimmed(one))));
          const answer = await faces.ask('own', parametersOf(asked));
          const told = typeof answer === 'object' ? (answer as { samples: number }).samples : answer;
          expect(told, alleleKey(asked)).to.equal(expected === 0 ? 'nothing' : expected);
          found += expected;
        }
      }
      expect(found).to.be.greaterThan(alleles);
      for (const name of ['v1', 'v1.1', 'v2', 'observations'] as const) {
        expect(faces.questions[name], name).to.be.at.least(2 * alleles);
      }
      await expectGreaterCopies(repository, reference);
    });

    /** Of a sample that has two forms the greater number of copies counts, in every verb. */
    async function expectGreaterCopies(
      repository: ReturnType<typeof withReferences>,
      reference: ReturnType<typeof referenceOf>,
    ): Promise<void> {
      let both = 0;
      for (const form of forms) {
        const [own, aligned] = [trimmed(form), leftAligned(form, reference)];
        const keys = [alleleKey(own), alleleKey(aligned)];
        const copies = samples.map((_, sample) => {
          const called = forms.map((one, i) =>
            keys.includes(alleleKey(trimmed(one))) ? (carriers[i]?.[sample] ?? '') : '',
          );
          return Math.max(...called.map((genotype) => genotype.split('1').length - 1));
        });
        const calls = copies.reduce((sum, count) => sum + count, 0);
        const { start, reference: ref, alternate } = own;
        const query = {
          assembly: 'GRCh37',
          contig: '20',
          start: { min: start, max: start },
          reference: ref,
          alternate,
        } as const;
        const [hit] = await repository.search(query, ['own']);
        const [listed] = await repository.found(query, ['own'], { limit: 9, carriers: true });
        const isBoth = keys[0] !== keys[1] && keys.every((key) => forms.some((one) => alleleKey(trimmed(one)) === key));
        if (isBoth) both++;
        if (calls === 0) continue;
        const carrying = copies.filter((count) => count > 0).length;
        expect(hit, keys.join()).to.deep.equal({ dataset: 'own', alleles: 1, calls, samples: carrying });
        expect(
          listed?.alleles.map((one) => [one.calls, one.samples]),
          keys.join(),
        ).to.deep.equal([[calls, carrying]]);
        const expected = samples.flatMap((name, i) => (copies[i] ? [[name, copies[i]]] : []));
        expect(listed?.alleles[0]?.named).to.deep.equal(expected);
        const question = { type: 'sequence', contig: '20', start, reference: ref, alternate } as const;
        const [[seen] = []] = await repository.observe('GRCh37', [question], ['own'], { cases: 9, carriers: true });
        const uncalled = samples.filter((_, sample) =>
          forms.some((one, i) => keys.includes(alleleKey(trimmed(one))) && carriers[i]?.[sample] === './.'),
        );
        const notCalled = uncalled.filter((name) => !expected.some(([one]) => one === name)).length;
        expect([seen?.carriers, seen?.homozygotes, seen?.alleleCount, seen?.notCalled], keys.join()).to.deep.equal([
          ...[carrying, copies.filter((count) => count === 2).length, calls, notCalled],
        ]);
        expect(seen?.detail?.carrying.length).to.equal(carrying);
        expect(seen?.named?.numbers.length).to.equal(carrying);
      }
      expect(both).to.be.greaterThan(2);
    }

    for (const isEmpty of [true, false]) {
      it(`are found however they are written, ${isEmpty ? 'in a new dataset' : 'once a dataset was rewritten'}`, async () => {
        const repository = await serve(true);
        const form = formsBy(referencesIn(folder.path()))('GRCh37');
        if (!form) throw new Error('no reference is loaded');
        if (!isEmpty) await loadText(repository, 'own', text);
        await repository.rewriteAlleles('own', form, new Date());
        if (isEmpty) await loadText(repository, 'own', text);
        const same = (one: Allele) => sequences.get(one) as string;
        expect((await repository.dataset('own'))?.alleleCount).to.equal(
          new Set(forms.flatMap((one, i) => (/1/.test(String(carriers[i])) ? [same(one)] : []))).size,
        );
        const faces = await throughEveryFace(beacon);
        for (const one of forms) {
          const expected = withOne((other) => same(other) === same(one));
          for (const asked of [one, respelled(sequence, one, random)]) {
            const answer = await faces.ask('own', parametersOf(asked));
            const told = typeof answer === 'object' ? (answer as { samples: number }).samples : answer;
            expect(told, alleleKey(asked)).to.equal(expected === 0 ? 'nothing' : expected);
          }
          const { kind, start, end, reference, alternate } = trimmed(one);
          if (kind === 'DEL' && reference[0] === alternate && expected > 0) {
            const ends = { start: { min: start, max: start }, end: { min: end, max: end }, kinds: kindsOf('INDEL') };
            const query = { assembly: 'GRCh37', contig: '20', ...ends } as const;
            expect(await repository.present(query, ['own']), alleleKey(one)).to.deep.equal(['own']);
          }
          for (const words of changesOf(sequence, respelled(sequence, one, random))) {
            const query = { requestedGranularity: 'boolean', datasets: 'own', ...words };
            const { body } = await request(`${beacon.url}/beacon/v2/g_variants`, { query });
            expect(body.responseSummary, JSON.stringify(words)).to.deep.equal({ exists: expected > 0 });
          }
        }
      });
    }

    it('are replaced through the panel that they were loaded through, though they moved out of it', async () => {
      const repository = await serve(true);
      const form = formsBy(referencesIn(folder.path()))('GRCh37');
      if (!form) throw new Error('no reference is loaded');
      await repository.rewriteAlleles('own', form, new Date());
      const moved = forms.find((one) => form.aligned(one).start < trimmed(one).start - 3);
      if (!moved) throw new Error('no allele moves far');
      const { start, end } = trimmed(moved);
      const panel = new Panel([['20', start + 1, end]]);
      const lines = [recordOf(moved, ['0/1', '0/0', '0/0', '0/0'])];
      await loadChecked(repository, lines, samples, { panel });
      const [stored] = await repository.examples('own', false, 9);
      expect(stored && alleleKey(stored)).to.equal(alleleKey(form.aligned(moved)));
      const { replaced } = await loadChecked(repository, lines, samples, { panel, replace: { force: false } });
      expect(replaced?.calls).to.equal(1);
    });

    it('are asked for as they are written without a reference', async () => {
      await serve(false);
      await loadText(beacon.repository, 'own', text);
      const faces = await throughEveryFace(beacon);
      for (const asked of forms.slice(0, 60)) {
        const expected = withOne((one) => alleleKey(trimmed(one)) === alleleKey(trimmed(asked)));
        const answer = await faces.ask('own', parametersOf(asked));
        const told = typeof answer === 'object' ? (answer as { samples: number }).samples : answer;
        expect(told, alleleKey(asked)).to.equal(expected === 0 ? 'nothing' : expected);
      }
    });

    it('are refused or left out where REF shows that a file is of another build', async () => {
      const repository = await serve(true);
      const other = (base: string) => (base === 'A' ? 'C' : 'A');
      const snvs = (contig: string, wrong: number, count: number) =>
        Array.from({ length: count }, (_, i) => {
          const own = contig === '20' ? (sequence[10 * i] as string) : 'G';
          const ref = i < wrong ? other(own) : own;
          return `${contig} ${10 * i + 1} . ${ref} ${ref === 'T' ? 'G' : 'T'} . . . GT 0/1 0/0 0/0 0/1`;
        });
      const load = (lines: string[]) => loadChecked(repository, lines);
      const refused = await faultOf(load([...snvs('20', 6, 110), ...snvs('21', 0, 2)]), 'unprocessable');
      expect(refused.message).to.include('REF of 6 of the 110 SNVs on chromosome 20 is not that of GRCh37');
      expect((await repository.dataset('own'))?.sampleCount).to.equal(0);
      // Few that disagree are listed, and of few nothing is said.
      const { files } = await load([...snvs('20', 5, 110)]);
      expect(files[0]?.summary.warnings.join()).to.match(
        /^5 of 110 small variants have another REF than the reference: line \d+ \([AC] instead of [ACGT]\), /,
      );
      expect((await load(snvs('20', 50, 99))).files[0]?.summary.warnings.join()).to.include('50 of 99 small variants');
      expect((await load(snvs('21', 50, 200))).files[0]?.summary.warnings).to.deep.equal([]);
    });

    it('on MT of another sequence are left out, and the rest of the file is loaded', async () => {
      await loadFasta(folder.path(), fastaOf({ chr20: sequence, chrM: 'G'.repeat(16_569) }));
      const repository = await serve(false);
      const records = ['20 1 . N A . . . GT 0/1', ...[5, 7, 9].map((at) => `chrM ${at} . A C . . . GT 1/1`)];
      const more = ['chrM 11 . GG G . . . GT 1/1'];
      const load = (lines: string[]) => loadChecked(repository, lines, ['s']);
      const loaded = await load([...records, ...more]);
      expect(loaded.added).to.deep.equal({ alleles: 1, calls: 1, samples: 1 });
      expect(loaded.files[0]?.summary.warnings).to.deep.equal([
        'chromosome MT was left out: 3 of its 3 SNVs have another REF than the reference, as in hg19 (NC_001807)',
        '3 of 5 small variants have another REF than the reference: line 4 (A instead of G), line 5 (A instead of G), line 6 (A instead of G)',
      ]);
      const [facts] = await repository.sampleFacts('own');
      expect(facts?.unsearched?.small).to.deep.equal(['MT']);
      const refused = await faultOf(load([...records.slice(1)]), 'unprocessable');
      expect(refused.message).to.include('another mitochondrial sequence');
      expect((await load(['20 9 . N A . . . GT 0/1', 'chrM 5 . G C . . . GT 1/1', ...more])).added.alleles).to.equal(3);
    });
  });
}
