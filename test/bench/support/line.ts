/**
 * A client that costs next to nothing: raw requests, one after another on a connection of their own, and only status
 * and length of each response. For measurements in which client and server share the processors.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class Line {
  readonly #socket: Socket;
  #text = '';
  #answered: ((status: number) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (part: string) => this.#take(part));
  }

  static async open(port: number): Promise<Line> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Line(socket);
  }

  /** Returns the status. Responses must state their length, as those of small JSON do. */
  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`POST ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}${length}\r\n${body}`);
    return new Promise((resolve) => {
      this.#answered = resolve;
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
