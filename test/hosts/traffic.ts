/** Targets that report their name, and clients that count what they get: traffic through a load balancer on real hosts. */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { NodesFleet } from './nodes-fleet.ts';

/** The node port that all targets answer on, TCP and UDP. */
export const targetPort = 30083;
/** They answer as the Kubernetes API, too. */
export const apiPort = 6443;

const server = `
import socket, socketserver
name = socket.gethostname().encode()
class Tcp(socketserver.BaseRequestHandler):
  def handle(self):
    self.request.sendall(name + b"\\n")
    while self.request.recv(99): pass
class Udp(socketserver.BaseRequestHandler):
  def handle(self): self.request[1].sendto(name, self.client_address)
class Server(socketserver.ThreadingTCPServer):
  allow_reuse_address = daemon_threads = True
  request_queue_size = 4096
import threading
threading.Thread(target=socketserver.UDPServer(("", ${targetPort}), Udp).serve_forever).start()
threading.Thread(target=Server(("", ${apiPort}), Tcp).serve_forever).start()
Server(("", ${targetPort}), Tcp).serve_forever()`;

/** Starts the target on each of the hosts. */
export async function startTargets(fleet: NodesFleet, names: readonly string[]): Promise<void> {
  const program = Buffer.from(server).toString('base64');
  const run = `echo ${program} | base64 -d >/root/target.py && systemd-run --quiet --unit=target --property=Restart=always python3 /root/target.py`;
  await Promise.all(names.map((name) => fleet.ssh(name, run)));
}

export interface Connection {
  /** Name of the target; undefined when the connection failed. */
  readonly target: string | undefined;
  readonly milliseconds: number;
}

/** Connects, reads the name of the target and closes. */
export function knock(host: string, port: number, localAddress?: string): Promise<Connection> {
  const started = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(localAddress && { localAddress }) });
    const end = (target?: string) => {
      socket.destroy();
      resolve({ target, milliseconds: performance.now() - started });
    };
    socket.setTimeout(10_000, () => end());
    socket.once('data', (text) => end(String(text).trim()));
    socket.once('error', () => end());
    socket.once('close', () => end());
  });
}

/** New connections, so many a second also while this machine is busy, until `during` has ended. */
export async function connectWhile(
  { host, port, perSecond }: { readonly host: string; readonly port: number; readonly perSecond: number },
  during: () => Promise<unknown>,
): Promise<readonly Connection[]> {
  const open: Promise<Connection>[] = [];
  const started = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - started) / 1000) * perSecond;
    while (open.length < due) open.push(knock(host, port));
  }, 1000 / perSecond);
  try {
    await during();
  } finally {
    clearInterval(timer);
  }
  return await Promise.all(open);
}

/** A flow of UDP: one socket that sends requests in a loop. The names of the targets that answered, in order; '' for none within a second. */
export class UdpFlow {
  readonly #socket = createSocket('udp4');
  readonly #to: { readonly host: string; readonly port: number };

  constructor(host: string, port: number) {
    this.#to = { host, port };
  }

  async ask(): Promise<string> {
    const answer = new Promise<string>((resolve) => this.#socket.once('message', (text) => resolve(String(text))));
    this.#socket.send('?', this.#to.port, this.#to.host);
    return await Promise.race([answer, pause(1000, '')]);
  }

  close(): void {
    this.#socket.close();
  }
}
