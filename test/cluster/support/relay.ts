/**
 * The way from replicas to one server of PostgreSQL, which a test can cut for one of them: nothing arrives any more in
 * either direction, and neither end is told, as if a cable was pulled.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Way {
  /** The member that connected, as Patroni names its connection; undefined until known. */
  member: string | undefined;
  ends: readonly [Socket, Socket];
}

export class Relay {
  readonly #server: Server;
  readonly #ways = new Set<Way>();
  readonly #cut = new Set<string>();

  private constructor(to: { host: string; port: number }) {
    this.#server = createServer((from) => this.#open(from, connect(to)));
  }

  static async listen(host: string, port: number, to: { host: string; port: number }): Promise<Relay> {
    const relay = new Relay(to);
    await new Promise<void>((resolve, reject) => {
      relay.#server.once('error', reject).listen(port, host, resolve);
    });
    return relay;
  }

  cut(member: string): void {
    this.#cut.add(member);
    for (const way of this.#ways) this.#follow(way);
  }

  mend(): void {
    this.#cut.clear();
    for (const way of this.#ways) this.#follow(way);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const { ends } of this.#ways) for (const end of ends) end.destroy();
    await closed;
  }

  #open(from: Socket, to: Socket): void {
    const way: Way = { member: undefined, ends: [from, to] };
    this.#ways.add(way);
    for (const [end, other] of [
      [from, to],
      [to, from],
    ] as const) {
      end.on('error', () => other.destroy());
      end.on('close', () => {
        other.destroy();
        this.#ways.delete(way);
      });
    }
    from.on('data', (part: Buffer) => {
      // The startup message lists names and values, each ended by a zero byte.
      way.member ??= /application_name\0([^\0]+)\0/.exec(part.toString('latin1'))?.[1];
      to.write(part);
      this.#follow(way);
    });
    to.on('data', (part: Buffer) => {
      from.write(part);
    });
  }

  #follow({ member, ends }: Way): void {
    const isCut = member !== undefined && this.#cut.has(member);
    for (const end of ends) isCut ? end.pause() : end.resume();
  }
}
