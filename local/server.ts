/** The platform as a process of its own: started by `kubeloom local up`, ended by SIGTERM; one structured line for each event. */
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { type LogFields, type Logger, messageOf } from 'aws-on-loopback/logger.ts';
import { parseOidcOptions } from './access/oidc-options.ts';
import { startPlatform } from './platform.ts';

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    'api-port': { type: 'string', default: '7700' },
    runner: { type: 'string', default: 'real' },
    'tick-seconds': { type: 'string', default: '300' },
    'accept-loss': { type: 'boolean', default: false },
    'oidc-issuer': { type: 'string' },
    'oidc-audience': { type: 'string' },
  },
});

const line =
  (level: string) =>
  (message: string, fields: LogFields = {}): void => {
    process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`);
  };
const logger: Logger = { info: line('info'), warn: line('warn'), error: line('error') };

/** Reports to the parent process and disconnects from it: it may end before this process does. */
function report(message: { ready: true } | { failed: string }): void {
  process.send?.(message, () => process.disconnect?.());
}

// A fault of one request must not stop every run of the machine; it is logged, and the rest continues.
process.on('unhandledRejection', (reason) => logger.error('a promise was rejected', { cause: messageOf(reason) }));

try {
  const platform = await startPlatform({
    ...(values['data-dir'] !== undefined && { dataDir: values['data-dir'] }),
    apiPort: Number(values['api-port']),
    runner: values.runner === 'sim' ? 'sim' : 'real',
    tickSeconds: Number(values['tick-seconds']),
    acceptLoss: values['accept-loss'],
    ...parseOidcOptions(values['oidc-issuer'], values['oidc-audience']),
    logger,
  });
  // On Linux this is the main thread alone: simulated stages give way to the API and its database. Real tools run in
  // processes of their own, which would inherit it.
  if (process.platform === 'linux' && values.runner === 'sim') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const end = (signal: string): void => {
    logger.info('the platform is being stopped', { signal });
    void platform.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error('the platform did not stop cleanly', { cause: messageOf(error) });
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => end(signal));
  report({ ready: true });
} catch (error) {
  logger.error('the platform does not start', { cause: messageOf(error) });
  report({ failed: messageOf(error) });
  process.exitCode = 1;
}
