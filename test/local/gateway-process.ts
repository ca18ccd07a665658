/** A process of its own with an API in threads: it fails to start on a taken port, serves a body without end, and closes. Then nothing keeps it alive. */
import { createServer } from 'node:net';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { startGatewayThread } from '#local/api-gateway/start-gateway.ts';

const routesModule = new URL('../../packages/aws-on-loopback/test/endless-routes.ts', import.meta.url).href;
const token = 'correct-horse-battery-staple-and-more';
const start = (port: number) =>
  startGatewayThread({
    routesModule,
    port,
    access: { token },
    timeoutMs: 500,
    logger: silentLogger,
    environment: {},
  });

const other = createServer();
const port = await new Promise<number>((resolve) =>
  other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port)),
);
const refused = await start(port).catch((error: Error) => error.message);
other.close();
const gateway = await start(0);
const answer = await fetch(`${gateway.url}/v1/loop`, {
  method: 'POST',
  body: 'x',
  headers: { authorization: `Bearer ${token}` },
});
await answer.text();
await gateway.close();
process.stdout.write(JSON.stringify({ refused: String(refused).replace(String(port), 'PORT'), status: answer.status }));
