/** A case system that decides who may see which sample, over real HTTP, and that fails on request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Access evaluations of the AuthZEN Authorization API 1.0, as they arrive. */
export interface Question {
  subject: { type: string; id: string; properties?: { issuer?: string } };
  action: { name: string };
  evaluations: { resource: { type: string; id: string; properties?: Record<string, string> } }[];
}

type Answer = (question: Question, response: ServerResponse, request: IncomingMessage) => void;

const json = (response: ServerResponse, value: unknown, status = 200) => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
};
const allTrue = ({ evaluations }: Question) => evaluations.map(() => ({ decision: true }));

/** Each says yes to everything in a way that is not sound. */
export const quickTroubles = {
  'closes the connection': (_question, _response, request) => request.socket.destroy(),
  'fails with 500': (question, response) => json(response, { evaluations: allTrue(question) }, 500),
  'refuses us': (question, response) => json(response, { evaluations: allTrue(question) }, 401),
  redirects: (_question, response, request) => {
    response.writeHead(307, { Location: `http://${request.headers.host}/elsewhere` }).end();
  },
  'sends nothing': (_question, response) => response.writeHead(200).end(),
  'sends a page': (_question, response) => response.end('<html>true</html>'),
  'sends a yes': (_question, response) => json(response, true),
  'sends one decision for all': (_question, response) => json(response, { decision: true }),
  'sends too few': (question, response) => json(response, { evaluations: allTrue(question).slice(1) }),
  'says no and yes': (question, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end(
        JSON.stringify({ evaluations: allTrue(question) }).replaceAll('{"decision"', '{"decision":false,"decision"'),
      ),
  'sends too many': (question, response) => json(response, { evaluations: [...allTrue(question), { decision: true }] }),
  'sends texts': (question, response) =>
    json(response, { evaluations: allTrue(question).map(() => ({ decision: 'true' })) }),
  'sends numbers': (question, response) =>
    json(response, { evaluations: allTrue(question).map(() => ({ decision: 1 })) }),
  'sends no object': (question, response) => json(response, { evaluations: allTrue(question).map(() => true) }),
  'sends too much': (question, response) =>
    json(response, { pad: 'x'.repeat(300_000), evaluations: allTrue(question) }),
} satisfies Record<string, Answer>;

export const troubles = {
  ...quickTroubles,
  hangs: () => undefined,
  'never ends': (question, response) => {
    response.writeHead(200).write(JSON.stringify({ evaluations: allTrue(question) }).slice(0, -1));
  },
} satisfies Record<string, Answer>;

export class CaseSystem {
  /** What people may see: `sub` → ids of samples, names of files, and `samples` for the list. */
  readonly allowed = new Map<string, Set<string>>();
  readonly questions: Question[] = [];
  readonly secret = 'our-own-secret-of-the-case-system';
  trouble: Answer | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<CaseSystem> {
    const server = createServer((request, response) => void system.#serve(request, response));
    const system = new CaseSystem(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return system;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/access/v1/evaluations`;
  }

  /** Lets the person see these and nothing else. */
  allow(person: string, ...names: string[]): void {
    this.allowed.set(person, new Set(names));
  }

  /** All resources that were asked about, as `type:id`. */
  get asked(): string[] {
    return this.questions.flatMap(({ evaluations }) =>
      evaluations.map(({ resource }) => `${resource.type}:${resource.id}`),
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const part of request) text += part;
    const known = request.headers.authorization === `Bearer ${this.secret}` && request.method === 'POST';
    if (!known || request.url !== '/access/v1/evaluations') {
      response.writeHead(known ? 404 : 401).end();
      return;
    }
    const question = JSON.parse(text) as Question;
    this.questions.push(question);
    if (this.trouble !== undefined) {
      this.trouble(question, response, request);
      return;
    }
    const names = this.allowed.get(question.subject.id);
    const evaluations = question.evaluations.map(({ resource }) => ({ decision: names?.has(resource.id) === true }));
    json(response, { evaluations });
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
