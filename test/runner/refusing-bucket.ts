/** A stage with the real Terraform, whose state and whose runner's objects are in one bucket that refuses what a test says. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { silentLogger } from 'aws-on-loopback/logger.ts';
import { openS3 } from 'aws-on-loopback/s3/s3-listener.ts';
import { listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { S3Artifacts } from '#adapters/s3-artifacts.ts';
import type { StagePlan } from '#domain/plan.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { stateKey } from './recorded-terraform.ts';
import { aDocument, type StageWorld, stageWorld } from './stage-world.ts';

export const hasTerraform = (() => {
  try {
    execFileSync('terraform', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** An answer of S3 in place of doing what is asked. */
export interface BucketRefusal {
  readonly method: string;
  /** What it is about: the end of its key. */
  readonly ending: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface RefusingBucket {
  readonly world: StageWorld;
  /** Refused from now on. */
  refuse(...refusals: readonly BucketRefusal[]): void;
  /** Text of an object; undefined without one. */
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  /** The infrastructure stage with one workspace. */
  build(change?: { readonly destroy?: boolean }): ReturnType<StageWorld['run']>;
  close(): Promise<void>;
}

const bucket = 'kubeloom';
const machines = (destroy: boolean): StagePlan => ({
  stage: 'infrastructure',
  reasons: ['pools are new'],
  work: { workspaces: [{ kind: 'machines', name: 'hz-prod', destroy }] },
});
const variables = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'any', default: null }]));
/** Modules of a type whose machines are resources of Terraform itself. */
const modules = {
  network: {
    variable: variables(
      ...['installation', 'cluster_id', 'provider_name', 'region', 'api_port_open', 'roles', 'ssh_ports'],
      ...['wireguard_port', 'admin_cidrs', 'peer_cidrs', 'cidr', 'tags'],
    ),
    output: { region: { value: '${var.region}' } },
  },
  nodepool: {
    variable: variables('pool', 'nodes', 'ssh_public_key', 'first_boot', 'tags', 'network'),
    resource: { terraform_data: { machine: { for_each: '${var.nodes}', input: '${each.key}' } } },
    output: {
      nodes: { value: '${{ for name, one in terraform_data.machine : name => { public_address = "198.51.100.7" } }}' },
    },
  },
};

export async function refusingBucket(): Promise<RefusingBucket> {
  const world = stageWorld();
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-bucket-'));
  const { listener } = await openS3({ directory, buckets: [bucket], flush: false, logger: silentLogger });
  let refusals: readonly BucketRefusal[] = [];
  const refusalOf = ({ method, url = '' }: IncomingMessage) =>
    refusals.find((one) => one.method === method && new URL(url, 'http://s3').pathname.endsWith(one.ending));
  const { url, close } = await listenOnLoopback((request, response) => {
    const refused = refusalOf(request);
    if (refused === undefined) return listener(request, response);
    request.resume();
    request.on('end', () => {
      const { status, code, message } = refused;
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
    });
  });
  const credentials = { accessKeyId: 'any', secretAccessKey: 'test' };
  const s3 = new S3Client({ endpoint: url, region: 'us-east-1', credentials, forcePathStyle: true, maxAttempts: 1 });
  Object.assign(world.ports, { artifacts: new S3Artifacts(s3, bucket) });
  world.set('AWS_ENDPOINT_URL_S3', url);
  world.set('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  world.set('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
  world.set('AWS_REGION', 'us-east-1');
  world.set('AWS_MAX_ATTEMPTS', '1');
  world.file('terraform/hetzner/provider.json', '{}');
  world.file('terraform/hetzner/list.ts', `console.log('{"items":[]}');`);
  for (const [name, module] of Object.entries(modules))
    world.file(`terraform/hetzner/${name}/main.tf.json`, JSON.stringify(module));
  writeFileSync(join(world.directory, 'terraform.rc'), '');
  world.set('TF_CLI_CONFIG_FILE', join(world.directory, 'terraform.rc'));
  await world.ports.secrets.put('user/team/hetzner-token', { credentials: 'very-secret-token' });
  return {
    world,
    refuse: (...some) => {
      refusals = some;
    },
    read: (Key) =>
      s3.send(new GetObjectCommand({ Bucket: bucket, Key })).then(
        ({ Body }) => Body?.transformToString(),
        () => undefined,
      ),
    async write(Key, Body) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
    },
    async build({ destroy = false } = {}) {
      const ends = destroy ? { before: twoProviderState(), target: null, direction: 'destroy' as const } : {};
      await world.put(aDocument([machines(destroy)], ends), destroy ? twoProviderFacts : undefined);
      return world.run('infrastructure');
    },
    async close() {
      s3.destroy();
      await close();
      world.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const refusing = (ending: string, status: number, code: string, message: string): BucketRefusal => ({
  method: 'PUT',
  ending,
  status,
  code,
  message,
});
export const noState = refusing(stateKey, 400, 'ExpiredToken', 'The provided token has expired.');
export const noLock = (status: number, code: string, message: string) =>
  refusing(`${stateKey}.tflock`, status, code, message);
