/** Stands in for a workload that is reached through a NodePort: answers every HTTP request with the name of the node. */
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';

/** Listens until the returned server is closed. A PROXY protocol (version 1) line in front is understood. */
export function listenOnNodePort(host: string, port: number, nodeName: string): Server {
  const http = createHttpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-simulated': 'workload', connection: 'close' });
    response.end(`${nodeName}\n`);
  });
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => passOn(socket, (opened) => http.emit('connection', opened)));
  });
  server.on('error', () => undefined);
  return server.listen(port, host);
}

function passOn(socket: Socket, open: (socket: Socket) => void): void {
  const first: Buffer | null = socket.read();
  if (first === null) {
    // A health check that only connects.
    socket.end();
    return;
  }
  const lineEnd = first.subarray(0, 6).toString() === 'PROXY ' ? first.indexOf('\r\n') + 2 : 0;
  const rest = first.subarray(lineEnd);
  if (rest.length > 0) socket.unshift(rest);
  open(socket);
}
