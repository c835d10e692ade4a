/** The routes of stored patients: a client reads, adds, imports and deletes them. */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { StoredPatient } from '../contract.js';
import { deletePatient } from '../erasure.js';
import {
  bodyAnswers,
  bodyTypes,
  documentedSchema,
  messageAnswer,
  paging,
  patientAnswer,
  patientParams,
  protectedAnswers,
  refusalAnswer,
  requiredBody,
  statements,
  statementsAnswer,
  unlessEmpty,
  warningsAnswer,
} from '../exchange/protocol.js';
import { importPatients } from '../patients/lists.js';
import { presentedPatient, warningsOfPatient } from '../patients/presentation.js';
import { patientSchema, readSubmission, submissionSchema } from '../patients/reading.js';
import { addOne } from '../patients/saving.js';
import type { MatchmakerServices } from '../services.js';
import { accessAfter, asOwnerOf, mediaFirst, ownersIn } from './access.js';

const stamped = z.strictObject({
  patient: patientAnswer,
  owner: z.string(),
  created: z.iso.datetime(),
  updated: z.iso.datetime(),
});

const next = z.int().optional().describe('`after` for the next page; absent on the last page.');

/** Paths with other methods, which are not ids. */
const verbs: ReadonlySet<string> = new Set(['/patient/add', '/patient/import']);

export function patientRoutes({
  settings,
  access,
  patients,
  trail,
  resources,
}: MatchmakerServices): RouteDeclaration[] {
  const shown = ({ patient, owner, created, updated }: StoredPatient) => ({
    patient: {
      ...presentedPatient(patient, resources().genes),
      ...(patient._sample !== undefined && { _sample: patient._sample }),
    },
    owner,
    created: created.toISOString(),
    updated: updated.toISOString(),
  });

  const one = route({
    method: 'GET',
    path: '/patient/:id',
    operation: 'getPatient',
    summary: 'Get one of your patients',
    access: accessAfter(access.read.access, ({ path }) => {
      if (!verbs.has(path.replace(/\/+$/, ''))) return;
      throw new Fault('method-not-allowed', 'This path answers OPTIONS, POST', { headers: { Allow: 'OPTIONS, POST' } });
    }),
    params: patientParams,
    answers: {
      200: {
        description: 'The patient as it was sent, with Ensembl ids of its genes.',
        content: { 'application/json': stamped.extend({ ...statementsAnswer, _warnings: warningsAnswer.optional() }) },
      },
      ...protectedAnswers,
      400: refusalAnswer('The id is not valid.'),
      404: refusalAnswer('You have no patient with this id.'),
    },
    async handle(request) {
      const { id } = request.params;
      const reach = await access.read.reachOf(request);
      // A patient of another owner looks like one that does not exist, so that clients cannot probe for ids.
      const stored = await patients.patient(id, ownersIn(reach));
      if (!stored) throw new Fault('not-found', 'There is no patient with this id');
      await trail.add([{ by: reach.by, action: 'read', patients: [id] }]);
      const _warnings = unlessEmpty(warningsOfPatient(stored.patient, resources()));
      return { body: { ...statements(settings), ...shown(stored), _warnings } };
    },
  });

  const list = route({
    method: 'GET',
    path: '/patients',
    operation: 'listPatients',
    summary: 'List your patients, in pages',
    access: access.read.access,
    query: paging(100).extend({
      label: z.string().max(255).optional().describe('Only patients with exactly this label.'),
    }),
    answers: {
      200: {
        description: 'The patients in the order in which they were added; for an administrator, those of all owners.',
        content: { 'application/json': z.strictObject({ ...statementsAnswer, patients: z.array(stamped), next }) },
      },
      ...protectedAnswers,
      400: refusalAnswer('A parameter is not valid.'),
    },
    async handle(request) {
      const { limit, after, label } = request.input;
      const { by, owners, all } = await access.read.reachOf(request);
      // One more than the page shows whether there is a next page.
      const wanted = { label, after, limit: limit + 1, signal: request.signal };
      const pages = await Promise.all(
        (all ? [undefined] : owners).map((owner) => patients.patients({ ...wanted, owner })),
      );
      const found = pages.flat().sort((one, other) => one.number - other.number);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      if (page.length > 0) await trail.add([{ by, action: 'read', patients: page.map(({ patient }) => patient.id) }]);
      const more = found.length > limit ? last?.number : undefined;
      return { body: { ...statements(settings), patients: page.map(shown), next: more } };
    },
  });

  return [one, list];
}

export function deleteRoute({ settings, access, patients, trail }: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'DELETE',
    path: '/patient/delete/:id',
    operation: 'deletePatient',
    summary: 'Delete a patient and the match results in which it was the query',
    access: access.load.access,
    params: patientParams,
    answers: {
      200: {
        description: '`message` says whether a patient was deleted.',
        content: { 'application/json': messageAnswer },
      },
      ...protectedAnswers,
      400: refusalAnswer('The id is not valid.'),
    },
    async handle(request) {
      const { id } = request.params;
      const reach = await access.load.reachOf(request);
      const stored = reach.isClient ? undefined : await patients.patient(id, ownersIn(reach));
      const deletion = { scrub: settings.scrubOnDelete, triage: settings.triage !== undefined };
      const { patient } = await deletePatient(trail, id, asOwnerOf(reach, stored), deletion);
      const message = patient
        ? 'Patient and its matches were successfully deleted from database'
        : `ERROR. Could not delete a patient with ID ${id} from database`;
      return { body: { message } };
    },
  });
}

/** Clients of patientMatcher compare these sentences. */
const outcomes = {
  inserted: 'Patient was successfully inserted into database.',
  updated: 'Patient was successfully updated.',
  unchanged: 'Database content is unchanged.',
} as const;

export function addRoute({ access, patients, resources, ...saving }: MatchmakerServices): RouteDeclaration {
  const add = addOne(saving);
  return route({
    method: 'POST',
    path: '/patient/add',
    operation: 'addPatient',
    summary: 'Add a patient, or replace the patient with the same id',
    access: mediaFirst(access.load.access),
    body: { types: bodyTypes, schema: documentedSchema(submissionSchema) },
    answers: {
      200: {
        description: 'The patient is stored.',
        content: { 'application/json': messageAnswer.extend({ _warnings: warningsAnswer.optional() }) },
      },
      ...bodyAnswers,
    },
    async handle(request) {
      const patient = readSubmission(requiredBody(request.body));
      const inUse = resources();
      const reach = await access.load.reachOf(request);
      const stored = reach.isClient ? undefined : await patients.patient(patient.id);
      const saved = await add(patient, inUse.genes, asOwnerOf(reach, stored));
      const _warnings = unlessEmpty(warningsOfPatient(patient, inUse));
      return { body: { message: outcomes[saved.outcome], _warnings } };
    },
  });
}

const listSchema = z.union([
  z.array(patientSchema),
  z.looseObject({ patients: z.array(patientSchema) }),
  z.looseObject({
    contact: z.looseObject({ name: z.string(), href: z.string() }),
    phenopackets: z.array(z.looseObject({ id: z.string() })).describe('GA4GH phenopackets.'),
  }),
]);

const counted = messageAnswer.extend({
  inserted: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  _warnings: warningsAnswer.optional(),
});

export function importRoute({ settings, access, resources, ...saving }: MatchmakerServices): RouteDeclaration {
  return route({
    method: 'POST',
    path: '/patient/import',
    operation: 'importPatients',
    class: 'background',
    summary: 'Add or replace many patients: all of them, or none if one is invalid',
    access: mediaFirst(access.load.access),
    body: { types: bodyTypes, schema: documentedSchema(listSchema), limit: settings.importLimit },
    answers: {
      200: { description: 'All patients are stored.', content: { 'application/json': counted } },
      ...bodyAnswers,
    },
    async handle(request) {
      const options = { ...saving, resources: resources() };
      const { warnings: found, ...counts } = await importPatients(
        options,
        requiredBody(request.body),
        await access.load.reachOf(request),
      );
      const message = `${counts.inserted} patients were inserted, ${counts.updated} updated, ${counts.unchanged} unchanged.`;
      return { body: { message, ...counts, _warnings: unlessEmpty(found) } };
    },
  });
}
