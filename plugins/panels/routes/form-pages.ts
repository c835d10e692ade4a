/** Pages with forms, and what the forms post: new drafts, edits, reviews and signatures. */
import { z } from 'zod';
import { Fault, type Principal, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { PanelVersion } from '../contract.js';
import { parseContent } from '../domain/content.js';
import { nameOf } from '../domain/lifecycle.js';
import { latestSigned } from '../domain/reference.js';
import { isVersionName, versionNameForm } from '../domain/version-name.js';
import { noNames } from '../genes/stored.js';
import { editPage, genePage } from '../pages/edit.js';
import { versionPath } from '../pages/frame.js';
import { signPage } from '../pages/sign.js';
import { editRight, readRight, signRight } from '../rights.js';
import { perform, rightFor, type Signing, signerRefusal } from './acts.js';
import { addVersion, withContent } from './edits.js';
import { formEdit } from './form-edits.js';
import { actFields, editFields, formType, newFields } from './form-fields.js';
import { pageType } from './read-pages.js';
import { changedSince, type Place, place, type StoredVersions } from './stored.js';

const answers = { 200: { description: 'The page.', content: { [pageType]: z.string() } } };
const afterForm = { 303: { description: 'It is done: the page that shows it is at Location.' } };

export function formPages(stored: StoredVersions, base: string, signing: Signing): RouteDeclaration[] {
  const sendTo = (path: string) => ({ status: 303, headers: { Location: `${base}${path}` } });

  async function draft(principal: Principal, at: Place): Promise<PanelVersion> {
    const version = await stored.found(principal, editRight, at);
    if (version.state === 'draft') return version;
    throw new Fault('conflict', `${nameOf(version)} is ${version.state}: only a draft can be edited`);
  }

  return [
    route({
      method: 'POST',
      path: '/panels/new',
      operation: 'newPanelForm',
      summary: 'Make a draft by a form',
      access: stored.access(editRight),
      body: { types: [formType], schema: newFields },
      answers: afterForm,
      async handle({ body: { panel, version, from, name }, principal, id }) {
        for (const one of [version, from]) {
          if (one !== undefined && !isVersionName(one))
            throw new Fault('invalid', `version: expected ${versionNameForm}`);
        }
        const added = await addVersion(stored, { principal, request: id }, panel, {
          version,
          name,
          ...(from !== undefined && { from: { version: from } }),
        });
        return sendTo(`${versionPath(added.panel, added.version)}/edit`);
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version/edit',
      operation: 'editPanelPage',
      summary: 'A page by which a draft, or one of its genes, is edited',
      access: stored.access(editRight),
      params: place,
      query: z.object({ gene: z.coerce.number().int().optional().catch(undefined) }),
      answers,
      async handle({ params, input: { gene: hgnc }, principal, nonce, signal }) {
        const version = await draft(principal, params);
        const around = { base, nonce };
        if (hgnc === undefined)
          return {
            type: pageType,
            body: editPage({ version, checked: await stored.checked(version, signal) }, around),
          };
        const gene = parseContent(version.content).genes.find((one) => one.hgnc === hgnc);
        if (gene === undefined) throw new Fault('not-found', `HGNC:${hgnc} is not in ${nameOf(version)}`);
        return { type: pageType, body: genePage({ version, gene }, around) };
      },
    }),
    route({
      method: 'POST',
      path: '/panels/:panel/:version/edit',
      operation: 'editPanelForm',
      summary: 'Edit a draft by a form',
      access: stored.access(editRight),
      params: place,
      body: { types: [formType], schema: editFields, limit: 4 * 1024 * 1024 },
      answers: afterForm,
      async handle({ params, body, principal, id }) {
        const version = await draft(principal, params);
        if (version.revision !== body.revision) throw changedSince(version);
        const inUse = await stored.names();
        const names = inUse && { release: inUse.names.release, table: inUse.table };
        const { content, words } = formEdit(parseContent(version.content), body, names, noNames);
        const act = { revision: body.revision };
        await stored.change(
          'edit',
          version,
          act,
          { principal, request: id, right: editRight },
          withContent(content, () => words),
        );
        const part = { describe: '#about', gene: '#genes', confidence: '#genes', remove: '#genes' } as const;
        const at = body.action in part ? part[body.action as keyof typeof part] : '';
        return sendTo(`${versionPath(version.panel, version.version)}/edit${at}`);
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version/sign',
      operation: 'signPanelPage',
      summary: 'A page that shows what a signature is for, and takes it',
      access: stored.access(signRight),
      params: place,
      answers,
      async handle({ params, principal, nonce, signal }) {
        const version = await stored.found(principal, signRight, params);
        const heads = await stored.among(principal, readRight, await stored.repository.list(version.panel));
        const last = latestSigned(heads);
        const before = last && (await stored.repository.find(last.panel, last.version));
        const shown = { version, before, checked: await stored.checked(version, signal), wanted: signing.wanted };
        const signer = { ...stored.actorOf(principal), refusal: signerRefusal(principal, signing) };
        return { type: pageType, body: signPage({ ...shown, signer }, { base, nonce }) };
      },
    }),
    route({
      method: 'POST',
      path: '/panels/:panel/:version/act',
      operation: 'actOnPanelForm',
      summary: 'Submit, sign, send back, retire or remove a version by a form',
      access: stored.access(readRight),
      params: place,
      body: { types: [formType], schema: actFields },
      answers: afterForm,
      async handle({ params, body: { act: verb, ...act }, principal, id }) {
        const version = await stored.found(principal, readRight, params);
        if (!(await stored.may(principal, rightFor[verb], params.panel)))
          throw new Fault('forbidden', `This needs the right ${rightFor[verb].scope} for ${params.panel}`);
        const after = await perform(stored, version, verb, act, { principal, request: id }, signing);
        return sendTo(after === undefined ? '/panels' : versionPath(after.panel, after.version));
      },
    }),
  ];
}
