/** The platform as a whole: its order, its directory, and what it makes of having been killed. */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, ListExecutionsCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { identify, isAlive } from 'aws-on-loopback/codebuild/process-group.ts';
import { stateMachineArn } from 'aws-on-loopback/names.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataDirectory } from '#local/data-directory.ts';
import { startPlatform } from '#local/platform.ts';
import { down, resetInstallation, status, up } from '#local/supervisor.ts';
import { at, refusal, temporaryDirectory } from './clients.ts';
import { tinyProduct } from './tiny-product.ts';

interface Ready {
  readonly apiUrl: string;
  readonly token: string;
  readonly endpoints: Readonly<Record<'stepFunctions' | 'dynamodb', string>>;
}

async function startProcess(dataDir: string, script: string): Promise<Ready & { kill(): Promise<void> }> {
  const entry = fileURLToPath(new URL('tiny-platform.ts', import.meta.url));
  const child = fork(entry, [dataDir, script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready));
    void ended.then(() => reject(new Error('the platform ended before it was ready')));
  });
  return { ...ready, kill };
}

async function until<Result>(look: () => Promise<Result | undefined>): Promise<Result> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(10);
  }
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => undefined);
const item = { pk: { S: 'a' }, sk: { S: 'b' } };

describe('the platform', () => {
  it('a start sets the environment that functions need, and a stop restores it', async () => {
    const directory = await temporaryDirectory();
    process.env.AWS_REGION = 'eu-before-1';
    const product = await tinyProduct(directory, 'true');
    const platform = await startPlatform({ dataDir: directory, apiPort: 0, runner: 'sim', product });
    expect(process.env).toMatchObject({
      AWS_ENDPOINT_URL_S3: platform.endpoints.s3,
      AWS_ENDPOINT_URL_SFN: platform.endpoints.stepFunctions,
      AWS_REGION: 'us-east-1',
      KUBELOOM_TABLE: 'kubeloom',
      KUBELOOM_PROVIDER_TYPES: 'sim',
      KUBELOOM_MAX_CUT_OFFS: '10',
    });
    await platform.stop();
    expect([process.env.AWS_REGION, process.env.AWS_ENDPOINT_URL_S3]).toEqual(['eu-before-1', undefined]);
    delete process.env.AWS_REGION;
  });

  it('a platform shows only its owner where it is, and locks its directory', async () => {
    const directory = await temporaryDirectory();
    const product = await tinyProduct(directory, 'true');
    const options = { dataDir: directory, apiPort: 0, runner: 'sim', product } as const;
    const platform = await startPlatform(options);
    expect((await stat(join(directory, 'platform.json'))).mode & 0o777).toBe(0o600);
    expect(await status(directory)).toMatchObject({ apiUrl: platform.apiUrl, pid: process.pid, runner: 'sim' });
    expect((await refusal(startPlatform(options))).message).toMatch(/a platform has .* already/);
    const { token } = platform;
    await platform.stop();
    expect(await status(directory)).toBeUndefined();
    const again = await startPlatform(options);
    expect([again.token, again.endpoints.s3]).toEqual([token, platform.endpoints.s3]);
    await again.stop();
  });

  it('a start waits for the lock of a platform whose process is about to end', async () => {
    const directory = await temporaryDirectory();
    const product = await tinyProduct(directory, 'true');
    const options = { dataDir: directory, apiPort: 0, runner: 'sim', product } as const;
    const dying = await openDataDirectory(directory);
    setTimeout(() => void dying.release(), 200);
    const platform = await startPlatform(options);
    expect(await status(directory)).toMatchObject({ pid: process.pid });
    await platform.stop();
  });

  it('a platform that cannot start leaves nothing behind', async () => {
    const directory = await temporaryDirectory();
    const product = await tinyProduct(directory, 'true');
    const broken = { ...product, routes: () => Promise.reject(new Error('no routes')) };
    const options = { dataDir: directory, apiPort: 0, runner: 'sim' } as const;
    expect((await refusal(startPlatform({ ...options, product: broken }))).message).toBe('no routes');
    const platform = await startPlatform({ ...options, product });
    await platform.stop();
  });

  it('a platform stopped in the middle of a build ends it, and reports it at the next start', async () => {
    const directory = await temporaryDirectory();
    const script = "trap 'echo asked > asked; exit 1' INT; echo $$ > pid; while :; do sleep 0.05; done";
    const product = await tinyProduct(directory, script);
    const options = { dataDir: directory, apiPort: 0, runner: 'sim', product } as const;
    const platform = await startPlatform(options);
    const sfn = new SFNClient(at(platform.endpoints.stepFunctions, platform.token));
    await sfn.send(new StartExecutionCommand({ stateMachineArn: stateMachineArn('main'), name: 'one' }));
    await until(() => textOf(join(directory, 'pid')));
    await platform.stop();
    expect([await textOf(join(directory, 'asked')), product.tidied]).toEqual(['asked\n', []]);
    const again = await startPlatform(options);
    await again.executions.idle();
    expect(product.tidied).toMatchObject([{ detail: { name: 'one', status: 'ABORTED' } }]);
    await again.stop();
    const third = await startPlatform(options);
    await third.executions.idle();
    expect(product.tidied).toHaveLength(1);
    await third.stop();
  });

  it('a platform killed in the middle of a build ends the build and execution at the next start', async () => {
    const directory = await temporaryDirectory();
    const script = 'echo $$ > pid; sleep 300 & wait';
    const first = await startProcess(directory, script);
    const sfn = new SFNClient(at(first.endpoints.stepFunctions, first.token));
    const table = new DynamoDBClient(at(first.endpoints.dynamodb, first.token));
    await table.send(new PutItemCommand({ TableName: 'kubeloom', Item: item }));
    const { executionArn } = await sfn.send(
      new StartExecutionCommand({ stateMachineArn: stateMachineArn('main'), name: 'one', input: '{"a":1}' }),
    );
    const pid = Number(await until(async () => (await textOf(join(directory, 'pid')))?.trim() || undefined));
    const build = identify(pid);
    await first.kill();
    expect(build && isAlive(build)).toBe(true);

    const second = await startProcess(directory, script);
    expect(build && isAlive(build)).toBe(false);
    expect(second.endpoints).toEqual(first.endpoints);
    const again = new SFNClient(at(second.endpoints.stepFunctions, second.token));
    expect(await again.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({ status: 'ABORTED' });
    expect((await table.send(new GetItemCommand({ TableName: 'kubeloom', Key: item }))).Item).toEqual(item);
    const tidied = await until(async () => {
      const list = await again.send(new ListExecutionsCommand({ stateMachineArn: stateMachineArn('tidy') }));
      return list.executions?.every(({ status: reached }) => reached === 'SUCCEEDED') && list.executions.length > 0
        ? await fetch(`${second.apiUrl}/v1/tidied`, { headers: { authorization: `Bearer ${second.token}` } })
        : undefined;
    });
    expect(await tidied.json()).toMatchObject({
      tidied: [{ detail: { executionArn, status: 'ABORTED', input: '{"a":1}' } }],
    });
  });
});

describe('the supervisor', () => {
  it('the supervisor starts a platform in the background, finds it, stops it and forgets it', async () => {
    const directory = join(await temporaryDirectory(), 'home');
    onTestFinished(async () => void (await down(directory)));
    const started = await up({ dataDir: directory, apiPort: 0, runner: 'sim' });
    expect((await fetch(`${started.apiUrl}/v1/health`)).status).toBe(200);
    expect(await up({ dataDir: directory, apiPort: 0, runner: 'sim' })).toEqual(started);
    expect((await refusal(up({ dataDir: directory, apiPort: 0, runner: 'real' }))).message).toMatch(/sim runner/);
    expect([await down(directory), await down(directory), await status(directory)]).toEqual([true, false, undefined]);
    await resetInstallation(directory);
    expect(existsSync(directory)).toBe(false);
  });

  it('the supervisor starts a new platform while a killed one is about to end', async () => {
    const directory = join(await temporaryDirectory(), 'home');
    onTestFinished(async () => void (await down(directory)));
    const first = await up({ dataDir: directory, apiPort: 0, runner: 'sim' });
    // A process that is there but answers nothing: what a killed one is until its last thread has ended.
    process.kill(first.pid, 'SIGSTOP');
    const second = up({ dataDir: directory, apiPort: 0, runner: 'sim' });
    await pause(300);
    process.kill(first.pid, 'SIGKILL');
    const { pid, apiUrl } = await second;
    expect([pid === first.pid, (await fetch(`${apiUrl}/v1/health`)).status]).toEqual([false, 200]);
  });

  it('the supervisor says why a platform does not start', async () => {
    const directory = await temporaryDirectory();
    const product = await tinyProduct(directory, 'true');
    const platform = await startPlatform({ inMemory: true, apiPort: 0, runner: 'sim', product });
    const taken = Number(new URL(platform.apiUrl).port);
    const fault = await refusal(up({ dataDir: join(directory, 'home'), apiPort: taken, runner: 'sim' }));
    expect(fault.message).toMatch(/port \d+ of 127.0.0.1 is taken/);
    await platform.stop();
  });

  it("the supervisor removes no directory that is not a platform's", async () => {
    expect((await refusal(resetInstallation(await temporaryDirectory()))).message).toMatch(/nothing was removed/);
  });
});
