/** Phenopackets of both versions as patients. */
import { expect } from 'chai';
import { readPatientList } from '../../../plugins/matchmaker/patients/lists.js';

const contact = { name: 'Lab', href: 'mailto:lab@example.org' };
const metaData = { created: '2026-01-01T00:00:00Z' };
const seizure = { type: { id: 'HP:0001250', label: 'Seizure' } };
const packet = (id: string, members: object = {}) => ({
  id,
  subject: { id },
  phenotypicFeatures: [seizure],
  metaData,
  ...members,
});
const warned = (body: unknown) =>
  readPatientList(body, contact).warnings.map(({ path, message }) => `${path} ${message}`);

describe('matchmaker: phenopackets', () => {
  it('are the proband of a Family, or the members of a Cohort', () => {
    const family = {
      id: 'F',
      proband: packet('p'),
      relatives: [packet('father')],
      pedigree: { persons: [{ sex: 1 }] },
      metaData,
    };
    const ids = (body: unknown) => readPatientList(body, contact).patients.map(({ id }) => id);
    const left = (at: string) => [
      `${at}.relatives are not imported: only the proband of a family is`,
      `${at} has members that are not imported: pedigree`,
    ];
    for (const [body, at] of [
      [family, '0'],
      [[family], '0'],
      [{ phenopackets: [family] }, 'phenopackets.0'],
    ] as const) {
      expect(ids(body)).to.deep.equal(['p']);
      expect(warned(body)).to.deep.equal(left(at));
    }
    const cohort = {
      id: 'C',
      description: 'x',
      members: [packet('a'), packet('b', { id: 'b', diseases: 7 })],
      metaData,
    };
    expect(ids(cohort)).to.deep.equal(['a', 'b']);
    expect(() => readPatientList([{ members: [packet('a'), packet('a')] }], contact)).to.throw(/0\.members\.1\.id/);
  });

  it('of version 1 have genes, variants, negated features and a class of onset', () => {
    const vcfAllele = { vcfVersion: 'VCFv4.2', genomeAssembly: 'GRCh37', chr: '1', pos: 5, ref: 'A', alt: 'C' };
    const first = (genes: object[], variants: object[] = []) =>
      readPatientList([packet('p', { genes, variants })], contact).patients[0]?.genomicFeatures;
    const variant = {
      assembly: 'GRCh37',
      referenceName: '1',
      start: 4,
      end: 5,
      referenceBases: 'A',
      alternateBases: 'C',
    };
    const heterozygous = { vcfAllele, zygosity: { id: 'GENO:0000135', label: 'heterozygous' } };
    expect(first([{ id: 'HGNC:1', symbol: 'A' }, { symbol: 'B' }])).to.deep.equal([
      { gene: { id: 'HGNC:1' } },
      { gene: { id: 'B' } },
    ]);
    expect(first([{ id: 'HGNC:1' }], [heterozygous])).to.deep.equal([{ gene: { id: 'HGNC:1' }, variant, zygosity: 1 }]);
    expect(first([{ id: 'HGNC:1' }, { id: 'HGNC:2' }], [heterozygous])).to.deep.equal([
      { gene: { id: 'HGNC:1' } },
      { gene: { id: 'HGNC:2' } },
      { gene: { id: '' }, variant, zygosity: 1 },
    ]);
    expect(warned([packet('p', { genes: [{}], variants: [{ hgvsAllele: { hgvs: 'x' } }] })])).to.deep.equal([
      '0 has members that are not imported: variants.hgvsAllele',
      '0.genes.0 has no id and is ignored',
      '0.variants.0 has no VCF allele on NCBI36, GRCh37 or GRCh38 and is ignored',
    ]);
    const feature = { ...seizure, negated: true, classOfOnset: { id: 'HP:0003593' } };
    expect(
      readPatientList([packet('p', { phenotypicFeatures: [feature] })], contact).patients[0]?.features,
    ).to.deep.equal([{ id: 'HP:0001250', label: 'Seizure', observed: 'no', ageOfOnset: 'HP:0003593' }]);
  });

  it('are what an Interpretation of version 1 is about, with its diagnoses', () => {
    const vcf_allele = { vcf_version: 'VCFv4.2', genome_assembly: 'GRCh37', chr: '1', pos: 5, ref: 'A', alt: 'C' };
    // Status of version 1.0: 1 is REJECTED.
    const calls = [
      { status: 3, variant: { vcf_allele, zygosity: { id: 'GENO:0000135' } } },
      { status: 'CANDIDATE', gene: { id: 'HGNC:2', symbol: 'B' } },
      { status: 1, gene: { id: 'HGNC:3', symbol: 'C' } },
    ];
    const disease = { term: { id: 'OMIM:607208', label: 'Dravet syndrome' } };
    const about = { family: { id: 'F', proband: packet('p', {}), relatives: [packet('m', {})] } };
    const diagnosis = [{ disease, genomic_interpretations: calls }];
    const { patients, warnings } = readPatientList({ id: 'i', resolution_status: 1, ...about, diagnosis }, contact);
    expect(patients).to.have.length(1);
    expect(patients[0]).to.deep.include({ id: 'p', disorders: [{ id: 'MIM:607208', label: 'Dravet syndrome' }] });
    const variant = {
      assembly: 'GRCh37',
      referenceName: '1',
      start: 4,
      end: 5,
      referenceBases: 'A',
      alternateBases: 'C',
    };
    expect(patients[0]?.genomicFeatures).to.deep.equal([
      { gene: { id: '' }, variant, zygosity: 1 },
      { gene: { id: 'HGNC:2' } },
    ]);
    expect(warnings.map(({ message }) => message)).to.deep.equal(['are not imported: only the proband of a family is']);
    const alone = { phenopacket: packet('p', {}), diagnosis: [{ genomicInterpretations: [calls[1]] }], notes: 'x' };
    expect(readPatientList([alone], contact).patients[0]?.genomicFeatures).to.deep.equal([{ gene: { id: 'HGNC:2' } }]);
    expect(warned([alone])).to.deep.equal(['0 has members that are not imported: notes']);
  });

  it('may have numbers for words, and the names of the schema', () => {
    // InterpretationStatus of version 2.0: 1 is REJECTED.
    const genes = (status: unknown) => {
      const genomicInterpretations = [{ interpretationStatus: status, gene: { valueId: 'HGNC:1', symbol: 'A' } }];
      const one = packet('p', {
        interpretations: [{ id: 'i', progressStatus: 3, diagnosis: { genomicInterpretations } }],
      });
      return readPatientList([one], contact).patients[0]?.genomicFeatures?.length ?? 0;
    };
    expect([0, 1, 2, 3, 4, 'REJECTED', 'CANDIDATE', undefined].map(genes)).to.deep.equal([1, 0, 1, 1, 1, 0, 1, 1]);
    const { patients } = readPatientList(
      [
        {
          id: 'p',
          subject: { id: 'p', sex: 2 },
          phenotypic_features: [{ ...seizure, excluded: true }],
          meta_data: metaData,
        },
      ],
      contact,
    );
    expect(patients[0]).to.deep.include({ sex: 'MALE' });
    expect(patients[0]?.features).to.deep.equal([{ id: 'HP:0001250', label: 'Seizure', observed: 'no' }]);
  });

  it('name what is not imported', () => {
    const members = {
      subject: { id: 'p', dateOfBirth: '2020-01-01', karyotypicSex: 'XY' },
      phenotypicFeatures: [{ ...seizure, severity: { id: 'HP:0012828' }, evidence: [] }],
      medicalActions: [{ treatment: {} }, { procedure: { code: { id: 'x' } } }],
      measurements: [],
    };
    expect(warned([packet('p', members)])).to.deep.equal([
      '0 has members that are not imported: subject.dateOfBirth, subject.karyotypicSex, phenotypicFeatures.severity, medicalActions',
    ]);
  });
});
