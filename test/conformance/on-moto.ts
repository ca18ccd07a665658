/**
 * Our state machines on moto's Step Functions. Its calls of other services come to a small server of ours:
 * functions are the real handlers, nested executions go back to moto. The one thing that it does not play is
 * `codebuild:startBuild`, with `.sync` or without; that `Resource`, and nothing else of the files, is replaced by a function that builds.
 */
import { request as forward } from 'node:http';
import { CreateStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { arnOf, machineNames, machineOf } from '#test/pipeline/harness/asl-files.ts';
import type { BuildRequest, ValidationContext } from '#test/pipeline/harness/state-machines.ts';
import { type MotoServer, startMoto } from './moto-server.ts';
import { ServiceMachines } from './service-machines.ts';

const buildFunction = 'start-build-sync';
const region = 'eu-central-1';

export type FunctionCall = (name: string, input: unknown) => Promise<unknown>;

export interface Moto {
  readonly client: SFNClient;
  /** Fresh machines of ours in a fresh moto, among these surroundings. */
  machinesFor(around: ValidationContext): Promise<ServiceMachines>;
  /** Machines that a test brings along; functions are answered by `call`. */
  create(machines: Readonly<Record<string, object>>, call: FunctionCall): Promise<ServiceMachines>;
  close(): Promise<void>;
}

export async function startOnMoto(): Promise<Moto> {
  let call: FunctionCall = async () => null;
  let moto: MotoServer | undefined;
  const calls = await callServer(
    () => moto?.url ?? '',
    (name, input) => call(name, input),
  );
  moto = await startMoto({ calls: calls.port });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SFNClient({ endpoint: moto.url, region, credentials, maxAttempts: 1 });

  const create: Moto['create'] = async (machines, given) => {
    await moto?.reset();
    call = given;
    for (const [name, definition] of Object.entries(machines)) {
      const roleArn = 'arn:aws:iam::000000000000:role/kubeloom';
      await client.send(new CreateStateMachineCommand({ name, definition: JSON.stringify(definition), roleArn }));
    }
    return new ServiceMachines({
      client,
      machines: Object.keys(machines),
      arnOf: (name) => arnOf('stateMachine', name),
    });
  };
  return {
    client,
    create,
    machinesFor: (around) =>
      create(Object.fromEntries(machineNames.map((name) => [name, withBuildFunction(name)])), async (name, input) => {
        if (name === buildFunction) return around.build(input as BuildRequest);
        return around.invoke(name, input);
      }),
    async close() {
      client.destroy();
      await moto?.close();
      await calls.close();
    },
  };
}

function withBuildFunction(name: string): object {
  const text = JSON.stringify(machineOf(name));
  return JSON.parse(
    text.replaceAll(/arn:aws:states:::codebuild:startBuild(?:\.sync)?/g, arnOf('function', buildFunction)),
  ) as object;
}

/** What moto's Step Functions speaks to: Lambda is played here, the rest is passed on to moto. */
function callServer(motoUrl: () => string, call: FunctionCall): Promise<LoopbackServer> {
  return listenOnLoopback((request, response) => {
    const [, name] = /\/functions\/[^/]*(?::|%3A)function(?::|%3A)([\w-]+)\/invocations/.exec(request.url ?? '') ?? [];
    if (name === undefined) {
      const { method, headers, url } = request;
      const passed = forward(`${motoUrl()}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      request.pipe(passed);
      return;
    }
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      try {
        const result = await call(name, JSON.parse(Buffer.concat(pieces).toString('utf8') || 'null'));
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(result ?? null));
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        response.writeHead(200, { 'content-type': 'application/json', 'x-amz-function-error': 'Unhandled' });
        response.end(JSON.stringify(faultOf(error)));
      }
    })();
  });
}

/** A fault in the form of Lambda; for a build, in the form of Step Functions. No function's fault is called `States.…`. */
function faultOf(error: Error): object {
  const build = error.message.startsWith('{"Build":') ? (JSON.parse(error.message) as object) : {};
  return { errorType: error.name.replace(/^States\./, 'Build.'), errorMessage: error.message, ...build };
}
