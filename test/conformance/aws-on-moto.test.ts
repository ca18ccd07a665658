/**
 * What is generated for aws, made, changed and removed by a real Terraform and the real plugin, on moto's EC2 and Route 53:
 * that the calls come in an order that works, that nothing wants to change when nothing has, and that nothing is left.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderDnsRoot } from '#rendering/dns-root.ts';
import { renderMachinesRoot } from '#rendering/machines-root.ts';
import type { RootModule } from '#rendering/root-module.ts';
import { fleetState } from '#test/providers/fleet-manifest.ts';
import { type ProviderCase, providerCases } from '#test/providers/provider-cases.ts';
import { done, TerraformWorkspace } from '#test/providers/terraform-workspace.ts';
import { mirrorEnvironment } from '../../scripts/provider-schemas/from-plugin.ts';
import { type MotoServer, startMoto } from './moto-server.ts';
import { backend, buildTime, tags, withPlugin } from './real-plugins.ts';

const region = 'eu-central-1';
const directory = mkdtempSync(join(tmpdir(), 'kubeloom-moto-'));
let moto: MotoServer;
let tested: ProviderCase;

beforeAll(async () => {
  moto = await startMoto();
  tested = await caseWithPlugin();
}, buildTime);
afterAll(async () => {
  await moto.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('aws, with its real plugin on moto', () => {
  it('machines are created, kept, added, removed and recreated on moto, and nothing is left', async () => {
    const machines = (count: number, generation: number, peers: readonly string[]): RootModule => {
      const pool = { instance: 'account', region } as const;
      const pools = [
        { ...pool, name: 'control', role: 'control', count: 1 },
        { ...pool, name: 'work', role: 'compute', count },
      ] as const;
      const state = fleetState(tested, { pools }, null);
      return renderMachinesRoot({
        ...tags,
        generation,
        state,
        backend,
        others: [],
        modules: './modules',
        template: tested.template,
        provider: { name: 'account', type: 'aws', secret: 'team/account', templates: 'builtin@1' },
        adminCidrs: ['203.0.113.0/24'],
        peerCidrs: peers,
        publicKeys: Object.fromEntries(state.pools.map(({ id }) => [id, publicKey()])),
        extra: { network: {}, nodepool: {} },
      });
    };
    const workspace = await workspaceOf('machines');
    await workspace.write(onMoto(machines(2, 1, [])));
    await done(workspace.init());
    await done(workspace.apply());
    expect((await ec2('DescribeInstances')).match(/<name>running<\/name>/g)).toHaveLength(3);

    // Another generation, and other keys, which are not those that the machines have.
    await workspace.write(onMoto(machines(2, 2, [])));
    const later = await workspace.plan();
    expect(later.filter(({ address }) => !address.includes('aws_key_pair'))).toEqual([]);

    const lost = /<instanceId>(i-\w+)<\/instanceId>/.exec(await ec2('DescribeInstances'))?.[1] ?? '';
    await ec2('TerminateInstances', { 'InstanceId.1': lost });
    await workspace.write(onMoto(machines(3, 3, ['192.0.2.1/32'])));
    await done(workspace.apply());
    expect((await ec2('DescribeInstances')).match(/<name>running<\/name>/g)).toHaveLength(4);
    expect(await workspace.plan()).toEqual([]);

    await done(workspace.destroy());
    expect(await ec2('DescribeInstances')).not.toContain('<name>running</name>');
    expect(await ec2('DescribeVolumes')).not.toContain('<volumeId>');
    expect(await ec2('DescribeAddresses')).not.toContain('<allocationId>');
    expect(await ec2('DescribeVpcs')).not.toContain('<cidrBlock>10.0.0.0/16</cidrBlock>');
  }, 900_000);

  it('DNS names are created, checked when they have several addresses, and nothing is left', async () => {
    await call('route53', '/2013-04-01/hostedzone', zoneRequest, 'application/xml');
    const names = (addresses: readonly string[]): RootModule =>
      renderDnsRoot({
        ...tags,
        generation: 1,
        backend,
        gone: false,
        modules: './modules',
        template: tested.template,
        addresses,
        healthCheckPort: 443,
        extra: {},
        dns: {
          zone: 'example.com',
          hostname: 'shop',
          alternativeNames: ['www'],
          provider: { name: 'account', type: 'aws', secret: 'team/account', templates: 'builtin@1' },
        },
      });
    const workspace = await workspaceOf('names');
    await workspace.write(onMoto(names(['192.0.2.1'])));
    await done(workspace.init());
    await done(workspace.apply());
    expect(await workspace.outputs()).toMatchObject({ endpoint: 'shop.example.com' });
    await workspace.write(onMoto(names(['192.0.2.1', '192.0.2.2'])));
    await done(workspace.apply());
    expect(await workspace.plan()).toEqual([]);
    expect(await call('route53', '/2013-04-01/healthcheck')).toContain('<IPAddress>192.0.2.2</IPAddress>');
    await done(workspace.destroy());
    expect(await call('route53', '/2013-04-01/healthcheck')).not.toContain('<IPAddress>');
  }, 900_000);
});

/** Its template has the version of the plugin that is there, and its image is one that moto has. */
async function caseWithPlugin(): Promise<ProviderCase> {
  const aws = providerCases.find(({ type }) => type === 'aws');
  if (!aws) throw new Error('aws is no case');
  const image = /<imageId>(ami-\w+)<\/imageId>/.exec(await ec2('DescribeImages'))?.[1] ?? '';
  return {
    ...aws,
    template: withPlugin(directory, aws),
    place: { ...aws.place, image },
  };
}

async function workspaceOf(name: string): Promise<TerraformWorkspace> {
  const own = join(directory, name);
  const secrets = { TF_VAR_secret_accesskey: 'AKIAIOSFODNN7EXAMPLE', TF_VAR_secret_secretkey: 'none' };
  const environment = { ...secrets, AWS_EC2_METADATA_DISABLED: 'true' };
  const workspace = await TerraformWorkspace.create({ directory: own, modules: tested.modules, environment });
  mirrorEnvironment(own, join(directory, 'mirror'));
  return workspace;
}

/** The root with moto in the place of the services. */
function onMoto(root: RootModule): RootModule {
  const endpoints = [{ ec2: moto.url, route53: moto.url, sts: moto.url }];
  const blocks = Object.entries(root.provider as Readonly<Record<string, unknown>>).map(([name, block]) => [
    name,
    [block].flat().map((each) => ({ ...(each as object), endpoints })),
  ]);
  return { ...root, provider: Object.fromEntries(blocks) };
}

const ec2 = (action: string, parameters: Readonly<Record<string, string>> = {}): Promise<string> =>
  call('ec2', '/', String(new URLSearchParams({ Action: action, Version: '2016-11-15', ...parameters })));

/** moto reads service and region out of the signature, and checks nothing else of it. */
async function call(service: string, path: string, body?: string, type = 'application/x-www-form-urlencoded') {
  const credential = `Credential=AKIAIOSFODNN7EXAMPLE/20260101/${region}/${service}/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=0`;
  const sent = body === undefined ? {} : { method: 'POST', body };
  const headers = { authorization, ...(body !== undefined && { 'content-type': type }) };
  const answer = await fetch(`${moto.url}${path}`, { headers, ...sent });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`moto answers ${path} with ${answer.status}: ${text}`);
  return text;
}

const zoneRequest =
  '<CreateHostedZoneRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Name>example.com</Name><CallerReference>once</CallerReference></CreateHostedZoneRequest>';

/** A real one: EC2 validates keys that are imported. */
function publicKey(): string {
  const { publicKey: key } = generateKeyPairSync('ed25519');
  const raw = key.export({ format: 'der', type: 'spki' }).subarray(-32);
  const parts = [Buffer.from('ssh-ed25519'), raw].map((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return Buffer.concat([length, part]);
  });
  return `ssh-ed25519 ${Buffer.concat(parts).toString('base64')} pool`;
}
