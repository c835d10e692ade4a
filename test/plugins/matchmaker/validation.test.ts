/** Validation of patients: the table of the reference, with stricter results where it lists a defect. */
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { type Json, patient, serveMatchmaker } from './support/serve.js';

const variant = (more: Json = {}) => ({ assembly: 'GRCh37', referenceName: '1', start: 5, ...more });
const withVariant = (more: Json = {}) =>
  patient('V', { genomicFeatures: [{ gene: { id: 'GPX4' }, variant: variant(more) }] });
const withFeature = (feature: Json) => patient('F', { features: [feature] });
const withGenomic = (feature: Json) => patient('G', { genomicFeatures: [feature] });
const without = (key: string) => {
  const { [key]: _, ...rest } = patient('W');
  return rest;
};
const contact = (more: Json) => patient('C', { contact: { name: 'x', href: 'a@b.se', ...more } });
const long = 'x'.repeat(256);

/** Patient, status, and the paths in the message. */
const table: [what: string, sent: Json, status: number, ...paths: string[]][] = [
  ['id missing', without('id'), 422, 'patient.id'],
  ['id a number', patient('', { id: 5 }), 422, 'patient.id'],
  ['id of 256 characters', patient(long), 422, 'patient.id'],
  ['id empty', patient(''), 422, 'patient.id'],
  ['label of 256 characters', patient('L', { label: long }), 422, 'patient.label'],
  ['contact missing', without('contact'), 422, 'patient.contact'],
  ['contact without name', contact({ name: undefined }), 422, 'patient.contact.name'],
  ['contact without href', contact({ href: undefined }), 422, 'patient.contact.href'],
  ['contact name of 256 characters', contact({ name: long }), 422, 'patient.contact.name'],
  ['contact institution of 256 characters', contact({ institution: long }), 422, 'patient.contact.institution'],
  ['href a plain e-mail', contact({ href: 'a@b.se' }), 200],
  ['href several e-mails', contact({ href: 'mailto:a@b.se,c@d.se' }), 200],
  ['href google', contact({ href: 'google' }), 422, 'patient.contact.href'],
  ['href ftp', contact({ href: 'ftp://x.y' }), 422, 'patient.contact.href'],
  ['href mailto:bad', contact({ href: 'mailto:bad' }), 422, 'patient.contact.href'],
  ['href javascript', contact({ href: 'javascript:alert(1)//a@b.se' }), 422, 'patient.contact.href'],
  ['href https', contact({ href: 'https://x.y/z' }), 200],
  ['contact of version 1.1', contact({ email: 'a@b.se', roles: ['clinician', 'patient'] }), 200],
  ['an unknown role', contact({ roles: ['king'] }), 422, 'patient.contact.roles.0'],
  ['disorder MIM', patient('D', { disorders: [{ id: 'MIM:610536', label: 'x' }] }), 200],
  ['disorder Orphanet', patient('D', { disorders: [{ id: 'Orphanet:79113' }] }), 200],
  ['disorder OMIM', patient('D', { disorders: [{ id: 'OMIM:610536' }] }), 200],
  ['disorder ORPHA', patient('D', { disorders: [{ id: 'ORPHA:79113' }] }), 200],
  ['disorder MONDO', patient('D', { disorders: [{ id: 'MONDO:0012345' }] }), 200],
  ['disorder DECIPHER', patient('D', { disorders: [{ id: 'DECIPHER:4' }] }), 200],
  ['disorder ICD', patient('D', { disorders: [{ id: 'ICD10:Q87' }] }), 422, 'patient.disorders.0.id'],
  ['ageOfOnset of a wrong pattern', patient('A', { ageOfOnset: '5 years' }), 422, 'patient.ageOfOnset'],
  ['inheritanceMode of a wrong pattern', patient('A', { inheritanceMode: 'AD' }), 422, 'patient.inheritanceMode'],
  ['species of a wrong pattern', patient('A', { species: 'human' }), 422, 'patient.species'],
  ['sex XYZ', patient('S', { sex: 'XYZ' }), 422, 'patient.sex'],
  ['href of 2048 bytes', patient('C', { contact: { name: 'x', href: `https://x.y/${'界'.repeat(678)}ab` } }), 200],
  [
    'href longer than a database indexes',
    patient('C', { contact: { name: 'x', href: `https://x.y/${'界'.repeat(679)}` } }),
    422,
    'patient.contact.href',
  ],
  ['id of blanks', patient('  '), 422, 'patient.id'],
  ['id that was no UTF-8', patient('P\ufffd'), 422, 'patient.id'],
  ['contact name of blanks', patient('C', { contact: { name: ' ', href: 'a@b.se' } }), 422, 'patient.contact.name'],
  [
    'more disorders than any patient has',
    patient('D', { disorders: Array.from({ length: 1001 }, (_, i) => ({ id: `MIM:${i}` })) }),
    422,
    'patient.disorders',
  ],
  [
    'more genomic features than any patient has',
    patient('G', { genomicFeatures: new Array(101).fill({ gene: { id: 'GPX4' } }) }),
    422,
    'patient.genomicFeatures',
  ],
  [
    'start beyond every chromosome',
    withVariant({ start: 250_000_001, end: undefined }),
    422,
    'patient.genomicFeatures.0.variant.start',
  ],
  ['sex MIXED_SAMPLE', patient('S', { sex: 'MIXED_SAMPLE' }), 200],
  ['gender, which the specification does not have', patient('S', { gender: 'XYZ' }), 200],
  ['extra fields', patient('X', { _own: { a: [1, null] }, more: 'x' }), 200],
  ['test no boolean', patient('T', { test: 'yes' }), 422, 'patient.test'],
  ['feature HP:123', withFeature({ id: 'HP:123' }), 422, 'patient.features.0.id'],
  ['feature in lower case', withFeature({ id: 'hp:0009623' }), 422, 'patient.features.0.id'],
  ['feature without id', withFeature({ label: 'x' }), 422, 'patient.features.0.id'],
  ['feature observed maybe', withFeature({ id: 'HP:0009623', observed: 'maybe' }), 422, 'patient.features.0.observed'],
  ['feature observed no', withFeature({ id: 'HP:0009623', observed: 'no' }), 200],
  ['unknown HPO id', withFeature({ id: 'HP:9999999' }), 200],
  [
    'neither features nor genomicFeatures',
    { ...without('features'), genomicFeatures: undefined },
    422,
    'patient.features',
  ],
  ['both of them empty', patient('E', { features: [], genomicFeatures: [] }), 422, 'patient.features'],
  ['both of them null', patient('E', { features: null, genomicFeatures: null }), 422, 'patient.features'],
  [
    'disorders only',
    patient('E', { features: [], genomicFeatures: [], disorders: [{ id: 'MIM:1' }] }),
    422,
    'patient.features',
  ],
  ['only features', without('genomicFeatures'), 200],
  ['only genomicFeatures', without('features'), 200],
  ['features null', patient('N', { features: null }), 200],
  ['variant null', withGenomic({ gene: { id: 'GPX4' }, variant: null, zygosity: null, type: null }), 200],
  ['features no list', patient('N', { features: {} }), 422, 'patient.features'],
  ['genomic feature without gene', withGenomic({ zygosity: 1 }), 422, 'patient.genomicFeatures.0.gene'],
  ['gene without id', withGenomic({ gene: {} }), 422, 'patient.genomicFeatures.0.gene.id'],
  ['gene id empty and no variant', withGenomic({ gene: { id: '' } }), 422, 'patient.genomicFeatures.0.gene.id'],
  ['assembly hg19', withVariant({ assembly: 'hg19' }), 422, 'patient.genomicFeatures.0.variant.assembly'],
  ['assembly GRCh37.p13', withVariant({ assembly: 'GRCh37.p13' }), 200],
  [
    'referenceName chr17',
    withVariant({ referenceName: 'chr17' }),
    422,
    'patient.genomicFeatures.0.variant.referenceName',
  ],
  ['referenceName 99', withVariant({ referenceName: '99' }), 422, 'patient.genomicFeatures.0.variant.referenceName'],
  ['referenceName MT', withVariant({ referenceName: 'MT' }), 200],
  ['referenceName M', withVariant({ referenceName: 'M' }), 200],
  ['no start', withVariant({ start: undefined }), 200],
  ['start a text', withVariant({ start: '5' }), 422, 'patient.genomicFeatures.0.variant.start'],
  ['start -5', withVariant({ start: -5 }), 422, 'patient.genomicFeatures.0.variant.start'],
  [
    'end before start',
    withVariant({ end: 4 }),
    422,
    'patient.genomicFeatures.0.variant.start',
    'patient.genomicFeatures.0.variant.end',
  ],
  ['referenceBases zz', withVariant({ referenceBases: 'zz' }), 422, 'patient.genomicFeatures.0.variant.referenceBases'],
  ['alternateBases -', withVariant({ alternateBases: '-' }), 422, 'patient.genomicFeatures.0.variant.alternateBases'],
  ['zygosity -1', withGenomic({ gene: { id: 'GPX4' }, zygosity: -1 }), 422, 'patient.genomicFeatures.0.zygosity'],
  ['zygosity a text', withGenomic({ gene: { id: 'GPX4' }, zygosity: '1' }), 422, 'patient.genomicFeatures.0.zygosity'],
  ['zygosity 7', withGenomic({ gene: { id: 'GPX4' }, zygosity: 7 }), 200],
  ['type without id', withGenomic({ gene: { id: 'GPX4' }, type: {} }), 422, 'patient.genomicFeatures.0.type.id'],
];

/** Fields that queries of other servers leave empty, and that a stored patient must have. */
const forgiven = new Set(['contact name of blanks', 'gene id empty and no variant']);

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker: validation on ${engine.name}`, () => {
    const server = useOnce(() => serveMatchmaker(engine));

    for (const route of ['/match', '/patient/add']) {
      it(`${route} accepts and refuses according to the table, and names each fault by its path`, async () => {
        for (const [what, sent, status, ...paths] of table) {
          const isForgiven = route === '/match' && forgiven.has(what);
          const reply = await server.post(route, { patient: sent });
          expect(reply.status, `${what}: ${JSON.stringify(reply.body)}`).to.equal(isForgiven ? 200 : status);
          if (isForgiven || paths.length === 0) continue;
          expect(reply.body.message, what).to.match(/^Request does not conform to API specifications: /);
          expect(
            reply.body.fields.map((field: Json) => field.path),
            what,
          ).to.deep.equal(paths);
        }
      });

      it(`${route} refuses invalid JSON with 400, and JSON that is not a submission with 422`, async () => {
        for (const body of ['', '{', 'x', "{'_id': 'patient_id' }", '\ufeff']) {
          const reply = await server.post(route, body);
          expect([reply.status, reply.type], body).to.deep.equal([400, 'application/json; charset=utf-8']);
          expect(reply.body.message).to.match(/^Invalid request JSON: /);
        }
        for (const body of [[], null, 5, 'text', {}, { patient: null }, { patient: [] }, patient('unwrapped')]) {
          const reply = await server.post(route, JSON.stringify(body));
          expect(reply.status, JSON.stringify(body)).to.equal(422);
          expect(reply.body.message).to.match(/^Request does not conform to API specifications: /);
        }
        expect((await server.post(route, '[{}]'.repeat(1))).status).to.equal(422);
        expect((await server.post(route, `${'['.repeat(5000)}`)).status).to.equal(400);
      });
    }

    it('accepts and names fields that seqr and matchbox leave empty in a query; requires them of a stored patient', async () => {
      // seqr: a project without contact, no features, a gene without id, a structural variant without bases.
      const seqr = {
        id: 'S',
        label: 'x',
        contact: { name: '', href: 'mailto:a@b.se,c@d.se', institution: 'Broad Center for Mendelian Genomics' },
        species: 'NCBITaxon:9606',
        sex: 'FEMALE',
        features: null,
        genomicFeatures: [
          { gene: { id: null }, zygosity: 1 },
          { gene: { id: null }, variant: { assembly: 'GRCh38', referenceName: '1', start: 5, alternateBases: '' } },
          { gene: { id: 'NOSUCHGENE' }, variant: null },
        ],
      };
      // matchbox: empty texts for all unknown fields, and null as a text.
      const matchbox = {
        ...patient('M'),
        species: '',
        sex: 'null',
        ageOfOnset: '',
        inheritanceMode: 'null',
        disorders: [{ id: '' }, { id: 'MIM:1' }],
        features: [{ id: null, label: 'x' }, { id: 'HP:0001250', observed: '', ageOfOnset: '' }, { id: 'HP:9999999' }],
        genomicFeatures: [{ gene: { id: 'SCN1A' }, type: { id: '' } }],
      };
      const warned = (reply: Json) => reply.body._warnings.map(({ path }: Json) => path);
      await server.post('/patient/add', { patient: patient('stored') });
      const asked = await server.post('/match', { patient: seqr });
      expect(asked.status, JSON.stringify(asked.body)).to.equal(200);
      expect(warned(asked)).to.deep.equal([
        'patient.contact.name',
        'patient.genomicFeatures.0',
        'patient.genomicFeatures.1.variant.alternateBases',
        'patient.genomicFeatures.1.gene.id',
        'patient.genomicFeatures.2.gene.id',
      ]);
      const other = await server.post('/match', { patient: matchbox });
      expect(other.body.results.map((one: Json) => one.patient.id)).to.include('stored');
      expect(warned(other)).to.deep.equal([
        'patient.species',
        'patient.sex',
        'patient.ageOfOnset',
        'patient.inheritanceMode',
        'patient.disorders.0',
        'patient.features.0',
        'patient.features.1.observed',
        'patient.features.1.ageOfOnset',
        'patient.genomicFeatures.0.type',
        'patient.features.2.id',
      ]);
      const [kept] = (await server.matches.matches({ patient: 'M', limit: 1 })).records;
      expect(kept?.patient).to.deep.equal({
        ...patient('M'),
        disorders: [{ id: 'MIM:1' }],
        features: [{ id: 'HP:0001250' }, { id: 'HP:9999999' }],
        genomicFeatures: [{ gene: { id: 'ENSG00000144285', _geneName: 'SCN1A' } }],
      });
      for (const sent of [seqr, matchbox])
        expect((await server.post('/patient/add', { patient: sent })).status).to.equal(422);
      // Faults keep the paths of the submission; a query without any readable field finds no patient.
      const features = [{ id: '' }, { id: 'x' }];
      const refused = await server.post('/match', { patient: { ...seqr, features } });
      expect(refused.body.fields.map(({ path }: Json) => path)).to.deep.equal(['patient.features.1.id']);
      const empty = await server.post('/match', { patient: { ...seqr, genomicFeatures: [{ gene: { id: null } }] } });
      expect([empty.status, empty.body.results]).to.deep.equal([200, []]);
    });

    it('names unknown genes, and features that do not count', async () => {
      const said = async (one: Json) => {
        const { body } = await server.post('/match', { patient: one });
        const warnings: Json[] = body._warnings ?? [];
        for (const route of ['/patient/add', '/patient/import']) {
          const added = await server.post(route, route === '/patient/import' ? [one] : { patient: one });
          expect(
            (added.body._warnings ?? []).map(({ message }: Json) => message),
            route,
          ).to.deep.equal(warnings.map(({ message }) => message));
        }
        return warnings.map(({ path, message }) => `${path.replace('patient.', '')} ${message}`);
      };
      const [seizure, onset, root, all] = ['HP:0001250', 'HP:0003577', 'HP:0000118', 'HP:0000001'];
      const terms = (...ids: string[]) => patient('T', { features: ids.map((id) => ({ id })) });
      expect(await said(terms(seizure))).to.deep.equal([]);
      expect(await said(terms(seizure, root, onset, all))).to.deep.equal([
        'features.1.id HP:0000118 is a term that every disease has: it is ignored in matching',
        'features.2.id HP:0003577 is not a phenotypic abnormality: it is ignored in matching',
        'features.3.id HP:0000001 is not a phenotypic abnormality: it is ignored in matching',
      ]);
      const excluded = { id: seizure, observed: 'no' };
      const nothing =
        'features are not compared: features with observed "no" are ignored in matching, and no other feature counts';
      expect(await said(patient('T', { features: [excluded] }))).to.deep.equal([nothing]);
      expect(await said(patient('T', { features: [excluded, { id: seizure }] }))).to.deep.equal([]);
      expect(await said(patient('T', { features: [excluded, { id: root }] }))).to.deep.equal([
        'features.1.id HP:0000118 is a term that every disease has: it is ignored in matching',
        nothing,
      ]);
      const genes = ['SCN1A', 'ENSG00000144285.3', 'NOSUCHGENE'].map((id) => ({ gene: { id } }));
      expect(await said(patient('T', { genomicFeatures: genes }))).to.deep.equal([
        'genomicFeatures.2.gene.id is not in the gene table in use: it matches only the same spelling',
      ]);
    });

    it('names all faults at once, and repeats no value', async () => {
      const sent = patient('secret-id', {
        sex: 'secret-sex',
        ageOfOnset: 'secret-age',
        features: [{}, { id: 'secret' }],
      });
      const { body } = await server.post('/match', { patient: sent });
      expect(body.fields.map(({ path }: Json) => path)).to.have.members([
        'patient.sex',
        'patient.ageOfOnset',
        'patient.features.0.id',
        'patient.features.1.id',
      ]);
      expect(JSON.stringify(body)).to.not.include('secret');
    });

    it('stores no refused patient, and an accepted one as submitted', async () => {
      const sent = patient('as-sent', {
        label: 'x',
        features: null,
        disorders: [],
        genomicFeatures: [{ gene: { id: 'HGNC:10585', _mine: 1 }, variant: null, _note: 'x' }],
        contact: { name: 'x', href: 'a@b.se', _fax: '5' },
        __proto__: undefined,
        _own: [1, { b: 2 }],
      });
      await server.post('/patient/add', { patient: sent, _disclaimer: 'x' });
      expect((await server.patients.patient('as-sent'))?.patient).to.deep.equal({
        id: 'as-sent',
        label: 'x',
        disorders: [],
        genomicFeatures: [{ gene: { id: 'HGNC:10585', _mine: 1 }, _note: 'x' }],
        contact: { name: 'x', href: 'mailto:a@b.se', _fax: '5' },
        _own: [1, { b: 2 }],
      });
      await server.post('/patient/add', { patient: patient('refused', { sex: 'x' }) });
      expect(await server.patients.patient('refused')).to.equal(undefined);
    });
  });
}
