/**
 * A client that costs next to nothing: raw requests, one after another on a connection of their own, and only status
 * and length of each response. For measurements in which client and server share the processors.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Sent {
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** A request as it is sent over a line. */
export function textOf({ method, path, headers = {}, body = '' }: Sent): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = method === 'GET' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}${length}\r\n${body}`;
}

export class Line {
  readonly #socket: Socket;
  #text = '';
  #answered: ((status: number) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (part: string) => this.#take(part));
    socket.on('close', () => this.#failed?.(new Error('The server closed the connection')));
    socket.on('error', () => undefined); // followed by `close`
  }

  static async open(port: number): Promise<Line> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Line(socket);
  }

  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    return this.send(textOf({ method: 'POST', path, headers, body }));
  }

  /** Returns the status. Responses must state their length, as those that are no streams do. */
  send(text: string): Promise<number> {
    this.#socket.write(text);
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(part: string): void {
    this.#text += part;
    const head = this.#text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#text);
    if (!length) throw new Error('An answer does not say its length');
    if (this.#text.length < head + 4 + Number(length[1])) return;
    const status = Number(this.#text.slice(9, 12));
    this.#text = '';
    this.#answered?.(status);
  }
}
