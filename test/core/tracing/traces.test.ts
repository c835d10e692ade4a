/** Traces of a server with one plugin, as a collector receives them over HTTP. */
import { expect } from 'chai';
import { currentRecorder } from '../../../core/work.js';
import { introduce, servePeer } from '../../plugins/matchmaker/exchange/support/peer.js';
import { useFolder } from '../../support/folder.js';
import { started } from '../../support/started.js';
import { type ReceivedSpan, type Receiver, receiveTraces } from './receiver.js';

const patient = {
  id: 'secret-patient-17',
  label: 'A secret label',
  contact: { name: 'A. Clinician', href: 'mailto:a.clinician@example.org' },
  genomicFeatures: [{ gene: { id: 'SCN1A' } }],
};
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };

describe('traces', function () {
  this.timeout(120_000); // commands
  const folder = useFolder();
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await receiveTraces();
  });
  afterEach(() => receiver.close());

  const configured = (tracing: object | undefined) =>
    folder.write(
      'lab.yaml',
      JSON.stringify({
        storage: { adapter: 'sqlite', file: `${folder.path()}/lab.sqlite` },
        jobs: { pollSeconds: 0.05 },
        demo: false,
        tracing,
        plugins: { matchmaker: { exchange: { allowHttp: true } } },
      }),
    );

  const named = (name: string): ReceivedSpan => {
    const found = receiver.spans.find((span) => span.name === name);
    if (found === undefined)
      throw new Error(`no span ${name} among ${receiver.spans.map((one) => one.name).join(', ')}`);
    return found;
  };

  it('lead from the caller through the request, its job and the storage to other servers, without data', async () => {
    const file = await configured({ endpoint: receiver.url, token: 'collector-token', service: 'lab-a' });
    const environment = { MATCHMAKER_KEY: 'k'.repeat(44), TREFOIL_CONFIG: file };
    const options = { cwd: folder.path(), env: environment };
    const peer = await servePeer();
    try {
      const token = await introduce(peer, options);
      const server = await started(file, environment);
      const headers = { 'X-Auth-Token': token, traceparent: `00-${caller.traceId}-${caller.spanId}-01` };
      const added = await fetch(`${server.url}/patient/add`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ patient }),
      });
      expect(added.status).to.equal(200);
      expect((await fetch(`${server.url}/patient/${patient.id}?secret=query`, { headers })).status).to.equal(200);
      expect((await fetch(`${server.url}/-/live`)).status).to.equal(200);
      const asked = await peer.question(1);
      await server.stop();

      const request = named('POST /patient/add');
      expect(request).to.include({ kind: 2, traceId: caller.traceId, parentSpanId: caller.spanId, status: 0 });
      expect(request.attributes).to.include({
        'http.request.method': 'POST',
        'http.route': '/patient/add',
        'http.response.status_code': 200,
        'trefoil.plugin': 'matchmaker',
      });
      expect(request.resource).to.include({ 'service.name': 'lab-a' });
      const inside = receiver.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
      expect(inside.map(({ traceId }) => traceId)).to.deep.equal(inside.map(() => caller.traceId));
      expect(inside.map(({ name }) => name)).to.include.members(['tokens@1 findByHash', 'transaction']);

      // The job is a trace of its own, whose id is that of the job; the span that queued it leads there.
      const linked = receiver.spans.flatMap(({ links }) => links.map(({ traceId }) => traceId));
      const job = receiver.spans.find(({ kind, traceId }) => kind === 5 && linked.includes(traceId)) as ReceivedSpan;
      expect(job.name).to.match(/^job matchmaker\./);
      expect(String(job.attributes['trefoil.job.id']).replaceAll('-', '')).to.equal(job.traceId);
      expect(job).not.to.have.property('parentSpanId');
      const queued = receiver.spans.filter(({ links }) => links.some(({ traceId }) => traceId === job.traceId));
      expect(queued.map(({ traceId }) => traceId)).to.deep.equal([caller.traceId]);

      // Out to the other node: the request carries the span that stands for it.
      const out = receiver.spans.find(({ kind, name }) => kind === 3 && name === 'POST') as ReceivedSpan;
      expect(asked.headers.traceparent).to.equal(`00-${out.traceId}-${out.spanId}-01`);
      expect(out.traceId).to.equal(job.traceId);
      expect(out.attributes).to.include({ 'server.address': '127.0.0.1' });

      expect(named('GET /patient/:id').attributes).to.include({ 'http.route': '/patient/:id' });
      const everything = receiver.texts.join('\n');
      for (const data of ['secret', 'SCN1A', 'Clinician', 'clinic.example', token, '/match"', 'select ']) {
        expect(everything, data).not.to.include(data);
      }
      expect(receiver.spans.map(({ name }) => name)).not.to.include('GET /-/live');
      expect(new Set(receiver.tokens)).to.deep.equal(new Set(['Bearer collector-token']));
      const line = server
        .log()
        .split('\n')
        .find((one) => one.includes('"route":"/patient/add"'));
      expect(JSON.parse(line ?? '{}')).to.include({ traceId: caller.traceId });
    } finally {
      await peer.close();
    }
  });

  it('end with the server, follow the decision of the caller, and are off by default', async () => {
    const off = await started(await configured(undefined));
    expect(currentRecorder()).to.equal(undefined);
    await fetch(`${off.url}/heartbeat`);
    await off.stop();
    expect(receiver.texts).to.deep.equal([]);

    const server = await started(await configured({ endpoint: receiver.url, ratio: 0 }));
    expect(currentRecorder()).not.to.equal(undefined);
    await fetch(`${server.url}/heartbeat`);
    const wanted = (flags: string) => ({ traceparent: `00-${caller.traceId}-${caller.spanId}-${flags}` });
    await fetch(`${server.url}/heartbeat`, { headers: wanted('00') });
    await fetch(`${server.url}/nowhere/secret`, { headers: wanted('01') });
    await server.stop();
    expect(currentRecorder()).to.equal(undefined);
    // Only what the caller records, and without a route there is nothing but the method.
    expect(receiver.spans.map(({ name, traceId }) => [name, traceId])).to.deep.equal([['GET', caller.traceId]]);
    expect(receiver.spans[0]?.attributes).to.include({ 'http.response.status_code': 404 });
    expect(receiver.texts.join('')).not.to.include('secret');
  });
});
