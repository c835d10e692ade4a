/** Phenotypes and diseases of samples, as tables and phenopackets state them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { distinctTerms, type OntologyTerm } from '../../../plugins/beacon/contract.js';
import { readTerms } from '../../../plugins/beacon/domain/sample.js';
import { readPed, readSampleSheet } from '../../../plugins/beacon/loading/sheets/sample-sheet.js';
import { blockFolder } from '../../support/folder.js';

const trio = new Set(['child', 'father', 'mother']);

describe('beacon: sheets of samples', () => {
  const folder = blockFolder();
  let warnings: string[] = [];

  async function write(name: string, content: string | Buffer | object): Promise<string> {
    const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content, null, 2);
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  /** What the sheet says, by sample, or the message that refuses it (without the folder). */
  async function stated(path: string): Promise<unknown> {
    warnings = [];
    const warn = (sentence: string) => void warnings.push(sentence.replaceAll(`${folder}/`, ''));
    return readSampleSheet(path, trio, warn).then(
      (facts) => Object.fromEntries(facts),
      (error: Error) => error.message.replaceAll(`${folder}/`, ''),
    );
  }

  const seizure = { id: 'HP:0001250', label: 'Seizure' };
  const delay = { id: 'HP:0001263', label: 'Global developmental delay' };
  const dravet = { id: 'OMIM:607208', label: 'Dravet syndrome' };

  describe('terms', () => {
    const read = (text: string) => {
      const result = readTerms(text);
      return 'terms' in result ? result.terms : result.wrong;
    };

    it('are separated by commas or semicolons, each with a label or without', () => {
      expect(read('')).to.deep.equal([]);
      expect(read('HP:0001250')).to.deep.equal([{ id: 'HP:0001250' }]);
      expect(read(' HP:0001263 = Global developmental delay ; HP:0001250=Seizure,OMIM:607208,')).to.deep.equal(
        [delay, seizure, { id: 'OMIM:607208' }].sort((a, b) => (a.id < b.id ? -1 : 1)),
      );
      // As a spreadsheet writes a cell with a comma or a quote.
      expect(
        read('"HP:0001250=Seizure,OMIM:130000=""Ehlers-Danlos syndrome, classic type, 1; EDSCL1"""'),
      ).to.deep.equal([seizure, { id: 'OMIM:130000', label: 'Ehlers-Danlos syndrome, classic type, 1; EDSCL1' }]);
    });

    it('are there once, with a label if any has one', () => {
      expect(read('hp:0001250; HP:0001250=Seizure; HP:0001250=Fit')).to.deep.equal([seizure]);
    });

    it('are refused if one is none', () => {
      const none = (id: string) => `"${id}" is not the id of a term, such as HP:0001250`;
      expect(read('HP:0001250, Seizure')).to.equal(none('Seizure'));
      // Excluded phenotypes have no place in a table.
      expect(read('!HP:0001250')).to.equal(none('!HP:0001250'));
      expect(read('HP:0001250=Ehlers-Danlos syndrome, classic type')).to.equal(none('classic type'));
      expect(read(`HP:1=${'x'.repeat(201)}`)).to.equal('the label of HP:1 has more than 200 characters');
      expect(read(Array.from({ length: 201 }, (_, i) => `HP:${i}`).join())).to.equal('more than 200 terms');
    });

    it('come back as they were written', () => {
      const term = fc.record(
        {
          id: fc.stringMatching(/^[A-Z]{2,6}:[0-9]{1,7}$/),
          label: fc
            .string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'aå,;="\' b:') })
            .map((label) => label.trim())
            .filter((label) => label !== ''),
        },
        { requiredKeys: ['id'] },
      );
      const written = ({ id, label }: { id: string; label?: string }) =>
        label === undefined ? id : `${id}="${label.replaceAll('"', '""')}"`;
      fc.assert(
        fc.property(fc.array(term, { maxLength: 5 }), fc.constantFrom(',', ';', ' ; '), (terms, separator) => {
          const text = terms.map(written).join(separator);
          const expected = distinctTerms(terms as OntologyTerm[]);
          expect(read(text)).to.deep.equal(expected);
          // A cell that a spreadsheet wrapped once more.
          if (text !== '') expect(read(`"${text.replaceAll('"', '""')}"`)).to.deep.equal(expected);
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 100) },
      );
    });
  });

  it('state phenotypes, diseases and dates in columns of a table', async () => {
    const table = (...rows: string[][]) => write('table.tsv', rows.map((row) => `${row.join('\t')}\n`).join(''));
    const path = await table(
      ['sample', 'phenotypes', 'diseases', 'run_date', 'analysis_date'],
      ['child', 'HP:0001250=Seizure; HP:0001263', 'OMIM:607208=Dravet syndrome', '2025-12-31', ''],
      ['father', '', '', '', '2026-01-02'],
    );
    expect(await stated(path)).to.deep.equal({
      child: {
        phenotypes: [seizure, { id: 'HP:0001263' }],
        diseases: [dravet],
        labels: { run_date: '2025-12-31' },
      },
      father: { labels: { analysis_date: '2026-01-02' } },
    });
    await table(
      ['sample', 'phenotypes', 'run_date'],
      ['child', 'Seizure', '2025-02-30'],
      ['mother', 'HP:1', '31/12/2025'],
    );
    expect(await stated(path)).to.equal(
      [
        'table.tsv: 3 mistakes',
        '  line 2, column phenotypes: phenotypes: "Seizure" is not the id of a term, such as HP:0001250',
        '  line 2, column run_date: run_date must be a date such as 2026-01-31; got "2025-02-30"',
        '  line 3, column run_date: run_date must be a date such as 2026-01-31; got "31/12/2025"',
      ].join('\n'),
    );
  });

  it('are PED files in the forms that people write', async () => {
    const facts = async (lines: string[], ...samples: string[]) => {
      const { factsOf } = await readPed(await write('f.ped', lines.map((line) => `${line}\n`).join('')));
      return samples.map((sample) => factsOf(sample));
    };
    const refused = (lines: string[], ...samples: string[]) =>
      facts(lines, ...samples).then(String, (error: Error) => error.message.replaceAll(`${folder}/`, ''));
    for (const [sex, read] of Object.entries({
      '1': 'male',
      M: 'male',
      male: 'male',
      Male: 'male',
      '2': 'female',
      f: 'female',
    }))
      expect(await facts([`F\ta\t\t\t${sex}\t2`], 'a')).to.deep.equal([{ case: 'F', sex: read, affected: true }]);
    for (const unknown of ['0', '-9', '.', 'NA', 'unknown', 'other'])
      expect(await facts([`F a 0 0 ${unknown} ${unknown}`], 'a')).to.deep.equal([
        { case: 'F', sex: 'unknown', affected: undefined },
      ]);
    for (const [word, affected] of [
      ['affected', true],
      ['Unaffected', false],
    ] as const)
      expect(await facts(['fid iid pat mat SEX phen', `F a 0 0 1 ${word}`], 'a')).to.deep.equal([
        { case: 'F', sex: 'male', affected },
      ]);
    expect(await facts(['0 a 0 0 1 2', '0 b 0 0 2 1'], 'a', 'b')).to.deep.equal([
      { sex: 'male', affected: true },
      { sex: 'female', affected: false },
    ]);
    expect(await refused(['F a 0 0 1 1', 'fid iid pat mat sex phen']))
      .to.include('f.ped: 2 mistakes')
      .and.include('line 2, column 5');
    // Two people with one id: by family and id, or not at all.
    const two = ['F1 1 0 0 1 1', 'F2 1 0 0 2 2', 'F2 2 3 0 2 1', 'F1 3 0 0 1 1', 'F2 F2_2 0 0 1 1'];
    const [one, other] = [
      { case: 'F1', sex: 'male', affected: false },
      { case: 'F2', sex: 'female', affected: true },
    ];
    expect(await facts(two, 'F1_1', 'F2_1', '9')).to.deep.equal([one, other, undefined]);
    expect((await facts(two, '2', 'F2_2')).map((each) => each?.sex)).to.deep.equal(['female', 'male']);
    expect(await refused(two, '1')).to.equal(
      'f.ped: the individual "1" is on the lines 1 and 2: give the individuals different ids, or call the sample "F1_1" as PLINK does',
    );
    expect(await refused(two, '3')).to.include('the individual "3" is on line 4, and a parent in another family');
  });

  const metaData = { created: '2026-01-01T00:00:00Z', createdBy: 'lab', phenopacketSchemaVersion: '2.0' };
  const packet = (id: string, members: object) => ({ id: `packet of ${id}`, subject: { id }, metaData, ...members });
  const diagnosis = (progressStatus: string | undefined, disease: object) => ({
    id: 'i',
    ...(progressStatus && { progressStatus }),
    diagnosis: { disease, genomicInterpretations: [] },
  });
  const child = {
    ...packet('child', {
      phenotypicFeatures: [
        { type: delay, severity: { id: 'HP:0012828', label: 'Severe' } },
        { type: seizure },
        { type: { id: 'HP:0000252', label: 'Microcephaly' }, excluded: true },
      ],
      diseases: [{ term: { id: 'MONDO:0000001', label: '' } }, { term: { id: 'OMIM:1', label: 'no' }, excluded: true }],
      interpretations: [
        diagnosis('SOLVED', dravet),
        diagnosis('UNSOLVED', { id: 'OMIM:2', label: 'not found' }),
        diagnosis('IN_PROGRESS', { id: 'OMIM:3', label: 'suspected' }),
        diagnosis(undefined, { id: 'OMIM:4', label: 'of unknown status' }),
      ],
    }),
    subject: { id: 'child', sex: 'FEMALE', timeAtLastEncounter: { age: { iso8601duration: 'P3Y' } } },
  };
  const asChild = { sex: 'female', phenotypes: [seizure, delay], diseases: [{ id: 'MONDO:0000001' }, dravet] };

  it('are a phenopacket, a list of them, or a folder', async () => {
    expect(await stated(await write('one.json', child))).to.deep.equal({ child: asChild });
    const mother = packet('mother', { phenotypicFeatures: [], subject: { id: 'mother', sex: 'UNKNOWN_SEX' } });
    expect(await stated(await write('blank.json', { ...mother, subject: { id: 'mother ' } }))).to.have.keys('mother');
    const list = await write('list.json.gz', gzipSync(`\uFEFF${JSON.stringify([child, mother])}`));
    // Nothing is said of what a packet omits, and of a sex that it does not know.
    expect(await stated(list)).to.deep.equal({ child: asChild, mother: { phenotypes: [] } });
    await mkdir(join(folder, 'packets'));
    await write('packets/b.json', [packet('father', { subject: { id: 'father', sex: 'OTHER_SEX' } })]);
    await write('packets/a.JSON', child);
    await write('packets/notes.txt', 'not a phenopacket');
    expect(await stated(join(folder, 'packets'))).to.deep.equal({ child: asChild, father: { sex: 'unknown' } });
  });

  it('are a Family or a Cohort of version 1 or 2, with numbers for words', async () => {
    const persons = [
      { familyId: 'F7', individualId: 'child', paternalId: 'father', sex: 1, affectedStatus: 2 },
      { familyId: 'F7', individualId: 'father', sex: 'MALE', affectedStatus: 'UNAFFECTED' },
      { familyId: 'F7', individualId: 'mother', sex: 'UNKNOWN_SEX', affectedStatus: 'MISSING' },
      { familyId: 'F7', individualId: 'aunt', sex: 'FEMALE', affectedStatus: 'AFFECTED' },
    ];
    const relatives = [
      packet('father', { subject: { id: 'father', sex: 2 }, phenotypicFeatures: [{ type: delay, negated: true }] }),
      packet('aunt', { phenotypicFeatures: [] }),
    ];
    const family = {
      id: 'F7',
      proband: child,
      relatives,
      pedigree: { persons },
      consanguinousParent: true,
      files: [],
      metaData,
    };
    const known = {
      child: { case: 'F7', affected: true, ...asChild },
      father: { case: 'F7', sex: 'male', affected: false, phenotypes: [] },
      mother: { case: 'F7' },
    };
    expect(await stated(await write('family.json', family))).to.deep.equal(known);
    expect(warnings).to.deep.equal([
      'family.json: relatives who are not in the dataset are left out (1)',
      'family.json: members of phenopackets that are not used: consanguinousParent, pedigree.persons.paternalId, ' +
        'subject.timeAtLastEncounter, phenotypicFeatures.severity',
    ]);
    const cohort = { id: 'c', description: 'all', members: [child, relatives[0]], metaData };
    expect(await stated(await write('cohort.json', [cohort]))).to.deep.equal({
      child: asChild,
      father: { sex: 'male', phenotypes: [] },
    });
    // The numbers of the enums Sex and ProgressStatus in the schema of version 2.0.
    for (const [number, sex] of [undefined, 'female', 'male', 'unknown'].entries()) {
      const numbered = packet('child', { subject: { id: 'child', sex: number } });
      expect(await stated(await write('n.json', numbered))).to.deep.equal({ child: sex ? { sex } : {} });
    }
    for (const [number, diseases] of [[], [], [dravet], [dravet], []].entries()) {
      const numbered = { progressStatus: number, diagnosis: { disease: dravet } };
      expect(await stated(await write('n.json', packet('child', { interpretations: [numbered] })))).to.deep.equal({
        child: { diseases },
      });
    }
    const first = packet('child', {
      genes: [{ id: 'HGNC:1' }],
      variants: [{ vcfAllele: {}, zygosity: { id: 'GENO:1' } }],
    });
    await write('n.json', first);
    expect([await stated(join(folder, 'n.json')), warnings]).to.deep.equal([
      { child: {} },
      ['n.json: members of phenopackets that are not used: genes, variants'],
    ]);
    expect(await stated(await write('wrong.json', { proband: child, pedigree: { persons: [{ sex: 4 }] } }))).to.match(
      /^wrong.json, line \d+, pedigree.persons\[0\].sex: must be one of FEMALE, MALE, OTHER_SEX, UNKNOWN_SEX$/,
    );
    expect(await stated(await write('x.yaml', 'id: x\n'))).to.include('x.yaml: phenopackets are read as JSON');
    await mkdir(join(folder, 'mixed'));
    await write('mixed/a.json', child);
    await write('mixed/b.yml', 'id: x\n');
    await stated(join(folder, 'mixed'));
    expect(warnings[0]).to.equal('mixed: files in YAML are not read (1); phenopackets are read as JSON');
  });

  it('are an Interpretation of version 1, with the phenopacket or the family that it is about', async () => {
    const disease = { term: dravet, onset: { age: 'P1Y' } };
    const genomicInterpretations = [{ status: 'CAUSATIVE', gene: { id: 'HGNC:10585', symbol: 'SCN1A' } }];
    const one = packet('child', { subject: { id: 'child', sex: 'FEMALE' }, phenotypicFeatures: [{ type: delay }] });
    const interpreted = { id: 'i', phenopacket: one, diagnosis: [{ disease, genomicInterpretations }], metaData };
    const known = { sex: 'female', phenotypes: [delay] };
    // The numbers of ResolutionStatus in the schema of version 1.0.
    const statuses = { 0: [], 1: [dravet], 2: [], 3: [], UNKNOWN: [], SOLVED: [dravet], IN_PROGRESS: [] };
    for (const [word, diseases] of Object.entries(statuses)) {
      const resolutionStatus = /\d/.test(word) ? Number(word) : word;
      expect(await stated(await write('i.json', { ...interpreted, resolutionStatus })), word).to.deep.equal({
        child: { ...known, diseases },
      });
      expect(warnings).to.deep.equal([
        'i.json: members of phenopackets that are not used: interpretations.diagnosis.onset, ' +
          'interpretations.diagnosis.genomicInterpretations',
      ]);
    }
    const persons = [{ familyId: 'F7', individualId: 'child', sex: 3, affectedStatus: 2 }];
    const family = { id: 'F7', proband: one, relatives: [packet('father', {})], pedigree: { persons } };
    const whole = { id: 'i', resolutionStatus: 'SOLVED', family, diagnosis: [{ disease }] };
    expect(await stated(await write('f.json', [whole]))).to.deep.equal({
      child: { case: 'F7', affected: true, ...known, diseases: [dravet] },
      father: {},
    });
    const wrong = { ...whole, family: { ...family, pedigree: { persons: [{ sex: 4 }] } } };
    expect(await stated(await write('w.json', wrong))).to.match(
      /^w.json, line \d+, family.pedigree.persons\[0\].sex: /,
    );
    expect(await stated(await write('w.json', { phenopacket: packet('child', { subject: {} }) }))).to.match(
      /^w.json, line \d+, phenopacket.subject.id: must be the name of a sample$/,
    );
  });

  it('may state the sex as PED files do', async () => {
    for (const [written, sex] of Object.entries({ 1: 'male', 2: 'female', 0: 'unknown', F: 'female', m: 'male' })) {
      expect(await stated(await write('s.tsv', `sample\tsex\nchild\t${written}\n`))).to.deep.equal({ child: { sex } });
    }
    expect(await stated(await write('s.tsv', 'sample\tsex\nchild\t3\n'))).to.equal(
      's.tsv, line 2, column sex: sex must be male, female or unknown; got "3"',
    );
  });

  it('are refused in another encoding than UTF-8, in which different names would become equal', async () => {
    const latin1 = (text: string) => Buffer.from(text, 'latin1');
    const sheet = latin1('sample\tcase_id\nchild\tF1\nfather\tFamilj å\n');
    expect(await stated(await write('latin.tsv', sheet))).to.equal('latin.tsv, line 3: it is not UTF-8 text');
    const zipped = gzipSync(latin1('{\n"subject": { "id": "å" } }'));
    expect(await stated(await write('latin.json', zipped))).to.equal('latin.json, line 2: it is not UTF-8 text');
    expect(await stated(await write('utf8.tsv', 'sample\tcase_id\nchild\tFamilj å\n'))).to.have.nested.property(
      'child.case',
      'Familj å',
    );
    const ped = await write('latin.ped', latin1('F child 0 0 1 2\nFå father 0 0 1 1\n'));
    const refusal = await readPed(ped).then(String, (error: Error) => error.message);
    expect(refusal).to.equal(`${ped}, line 2: it is not UTF-8 text`);
  });

  it('are refused with the file, line and member of every mistake', async () => {
    expect(await stated(await write('cut.json', '[\n{"subject":\n'))).to.equal(
      'cut.json, line 2: the file is not valid JSON',
    );
    expect(await stated(await write('wrong.json', '{\n"subject":\n {,}}'))).to.equal(
      'wrong.json, line 3: the file is not valid JSON',
    );
    expect(await stated(await write('empty.json', '[]'))).to.equal('empty.json: the file has no phenopacket');
    await mkdir(join(folder, 'none'));
    expect(await stated(join(folder, 'none'))).to.equal('none: the folder has no phenopacket (*.json)');
    const uncle = packet('uncle', {
      phenotypicFeatures: [{ type: { id: 'Seizure' } }, { type: seizure, excluded: 'yes' }, {}],
      subject: { id: 'uncle', sex: 'male' },
    });
    await mkdir(join(folder, 'bad'));
    await write('bad/1.json', '[\n  {"subject": {\n    "id": "child"\n  }},\n  7,\n  {"subject": {"id": "aunt"}}\n]');
    await write('bad/2.json', uncle);
    await write('bad/3.json', { subject: { id: 'child' }, phenotypic_features: [], diseases: {} });
    await write('bad/4.json', child);
    expect(await stated(join(folder, 'bad'))).to.equal(
      [
        'bad: 9 mistakes',
        '  1.json, line 5, [1]: must be a phenopacket',
        '  1.json, line 6, [2].subject.id: "aunt" is not in the dataset',
        '  2.json, line 5, subject.sex: must be one of FEMALE, MALE, OTHER_SEX, UNKNOWN_SEX',
        '  2.json, line 14, phenotypicFeatures[0].type: "Seizure" is not the id of a term, such as HP:0001250',
        '  2.json, line 23, phenotypicFeatures[1].excluded: must be true or false',
        '  2.json, line 25, phenotypicFeatures[2].type: must be an ontology term',
        '  3.json, line 6, diseases: must be a list',
        '  3.json, line 5, phenotypic_features: is not read: members of a phenopacket are in camel case',
        '  4.json, line 4, subject.id: "child" is already in 1.json, line 3, [0].subject.id',
      ].join('\n'),
    );
  });
});
