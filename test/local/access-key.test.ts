/** The services of a platform answer only to who signs with its access key, and hold a build to what its job needs. */
import { randomBytes } from 'node:crypto';
import { CodeBuildClient, StartBuildCommand } from '@aws-sdk/client-codebuild';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { DescribeParametersCommand, GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { parseStartBuild } from 'aws-on-loopback/codebuild/build-shapes.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { buildCredentialsPath } from '#contracts/build-credentials.ts';
import { NodeHash } from '#contracts/node-hash.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { noPlace } from '#functions/rights/job-rights.ts';
import { runnerTools } from '#functions/rights/runner-rights.ts';
import { wire } from '#functions/wire.ts';
import { toolRoleArn } from '#local/names.ts';
import { type Platform, startPlatform } from '#local/platform.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { sessionOfGrant } from '#test/fakes/session-of.ts';
import { aDocument, prefix } from '#test/runner/stage-world.ts';
import { inSession, signedBy } from './clients.ts';

/** As a runner asks. */
async function signedRequest(
  url: string,
  credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string },
  token: string,
): Promise<Response> {
  const { hostname, host, port, protocol, pathname: path } = new URL(url);
  const body = JSON.stringify({ token });
  const signer = new SignatureV4({ service: 'execute-api', region: 'us-east-1', credentials, sha256: NodeHash });
  const headers = { host, 'content-type': 'application/json' };
  const unsigned = { method: 'POST', protocol, hostname, port: Number(port), path, query: {}, body, headers };
  return fetch(url, { method: 'POST', body, headers: (await signer.sign(unsigned)).headers });
}

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ runner: 'sim', inMemory: true, apiPort: 0 });
});
afterAll(() => platform.stop());

describe('the services of a platform', () => {
  it('the services refuse requests that are not signed with the access key', async () => {
    const { dynamodb, s3, ssm } = platform.endpoints;
    const stranger = signedBy('local');
    await expect(
      new DynamoDBClient({ ...stranger, endpoint: dynamodb }).send(new ListTablesCommand({})),
    ).rejects.toThrow();
    await expect(
      new S3Client({ ...stranger, endpoint: s3 }).send(new ListObjectsV2Command({ Bucket: 'kubeloom' })),
    ).rejects.toThrow();
    await expect(
      new SSMClient({ ...stranger, endpoint: ssm }).send(new DescribeParametersCommand({})),
    ).rejects.toThrow();
  });

  it.each(['dynamodb', 's3', 'ssm', 'sts', 'stepFunctions', 'codeBuild', 'builds'] as const)(
    '%s answers an unsigned request with 403',
    async (name) => {
      const response = await fetch(platform.endpoints[name], { method: 'POST', body: '{}' });
      expect(response.status).toBe(403);
    },
  );

  it('the services answer requests that are signed with the access key', async () => {
    const own = signedBy(accessKeyOf(platform.token));
    const { TableNames } = await new DynamoDBClient({ ...own, endpoint: platform.endpoints.dynamodb }).send(
      new ListTablesCommand({}),
    );
    expect(TableNames).toEqual(['kubeloom']);
    const missing = new SSMClient({ ...own, endpoint: platform.endpoints.ssm }).send(
      new GetParameterCommand({ Name: '/x' }),
    );
    await expect(missing).rejects.toMatchObject({ name: 'ParameterNotFound' });
  });

  const keyOf = () => accessKeyOf(platform.token);
  const place = { ...noPlace, namespace: 'team', manifest: 'shop', cluster: 'web-1234567' };
  const grant = (tool: (typeof runnerTools)[number]) => ({ tool, place, secrets: ['team/own'], copies: [] });

  describe('the role that a build starts with', () => {
    const build = () => inSession(keyOf(), { kind: 'build', build: 'kubeloom-terraform:1' });

    it('the role of a build may neither read, start nor become anything', async () => {
      const { s3, ssm, codeBuild, stepFunctions, sts, dynamodb } = platform.endpoints;
      const object = new GetObjectCommand({ Bucket: 'kubeloom', Key: 'terraform/team/shop/web-1234567/x' });
      const reads = new S3Client({ ...build(), endpoint: s3, forcePathStyle: true }).send(object);
      await expect(reads).rejects.toMatchObject({ name: 'AccessDenied' });
      const secret = new SSMClient({ ...build(), endpoint: ssm }).send(
        new GetParameterCommand({ Name: '/kubeloom/user/team/own', WithDecryption: true }),
      );
      await expect(secret).rejects.toMatchObject({ name: 'AccessDeniedException' });
      const started = new CodeBuildClient({ ...build(), endpoint: codeBuild }).send(
        new StartBuildCommand({ projectName: 'sim' }),
      );
      await expect(started).rejects.toMatchObject({ name: 'AccessDeniedException' });
      const listed = new SFNClient({ ...build(), endpoint: stepFunctions }).send(new ListStateMachinesCommand({}));
      await expect(listed).rejects.toMatchObject({ name: 'AccessDeniedException' });
      const tables = new DynamoDBClient({ ...build(), endpoint: dynamodb }).send(new ListTablesCommand({}));
      await expect(tables).rejects.toMatchObject({ name: 'AccessDeniedException' });
      const became = new STSClient({ ...build(), endpoint: sts }).send(
        new AssumeRoleCommand({ RoleArn: toolRoleArn('terraform'), RoleSessionName: 'mine', Policy: '{}' }),
      );
      await expect(became).rejects.toMatchObject({ name: 'AccessDenied' });
    });
  });

  describe('the door where builds ask for their credentials', () => {
    const token = () => randomBytes(32).toString('base64url');
    const job = `${prefix}/infrastructure/do/1`;
    const ask = (given: object, path = buildCredentialsPath) =>
      signedRequest(`${platform.endpoints.builds}${path}`, given as Parameters<typeof signedRequest>[1], token());
    const build = (id: string) => inSession(keyOf(), { kind: 'build', build: id }).credentials;

    it('who is not a build is refused', async () => {
      expect((await ask({ accessKeyId: keyOf(), secretAccessKey: 'x' })).status).toBe(403);
      const session = inSession(keyOf(), sessionOfGrant(grant('terraform'))).credentials;
      expect((await ask(session)).status).toBe(403);
      expect((await ask(build('sim:1'))).status).toBe(403);
      expect((await ask(build('sim:1'), '/v1/builds/other')).status).toBe(404);
    });

    it('a build that runs has its credentials, so whatever else asks for them gets none, and an event says so', async () => {
      const { artifacts, events } = wire();
      const work = { workspaces: [] };
      const document = aDocument([{ stage: 'infrastructure', reasons: ['try'], work }]);
      await artifacts.putText(waypointKeys.document(prefix), JSON.stringify(document));
      vi.stubEnv('KUBELOOM_SIM_STAGE_MS', '400');
      const { id } = platform.builds.start(
        parseStartBuild({ projectName: 'sim', environmentVariablesOverride: [{ name: 'KUBELOOM_JOB', value: job }] }),
      );
      const started = async () =>
        (await events.list({ namespace: 'team', name: 'shop' }, 10)).items.map(({ kind }) => kind);
      await vi.waitFor(async () => expect(await started()).toContain('StageStarted'), { timeout: 20_000 });
      const replay = await ask(build(id));
      expect([replay.status, await replay.text()]).toEqual([403, expect.stringContaining('given out once')]);
      expect(await platform.builds.ended(id)).toMatchObject({ status: 'SUCCEEDED' });
      const late = await ask(build(id));
      expect([late.status, await late.text()]).toEqual([403, expect.stringContaining('has ended')]);
      expect(await started()).toContain('CredentialsRefused');
      vi.unstubAllEnvs();
    });
  });

  describe('the session of a build', () => {
    it('a session whose token was changed, or sealed by someone else, is refused', async () => {
      const foreign = inSession('another platform', sessionOfGrant(grant('ansible')));
      const { credentials } = inSession(keyOf(), sessionOfGrant(grant('ansible')));
      const [content = '', seal] = credentials.sessionToken.split('.');
      const wider = JSON.parse(Buffer.from(content, 'base64url').toString('utf8'));
      wider.place.namespace = 'others';
      const sessionToken = `${Buffer.from(JSON.stringify(wider)).toString('base64url')}.${seal}`;
      for (const given of [foreign.credentials, { ...credentials, sessionToken }]) {
        const client = new SSMClient({ ...foreign, credentials: given, endpoint: platform.endpoints.ssm });
        await expect(client.send(new GetParameterCommand({ Name: '/kubeloom/user/team/own' }))).rejects.toMatchObject({
          name: 'UnrecognizedClientException',
        });
      }
    });

    it('a session that has ended may do nothing', async () => {
      const ended = { ...sessionOfGrant(grant('ansible')), until: Date.now() - 1 };
      const client = new SSMClient({ ...inSession(keyOf(), ended), endpoint: platform.endpoints.ssm });
      const read = client.send(new GetParameterCommand({ Name: '/kubeloom/user/team/own' }));
      await expect(read).rejects.toMatchObject({ name: 'AccessDeniedException' });
    });

    it('a session becomes no other one', async () => {
      for (const tool of runnerTools) {
        const client = new STSClient({
          ...inSession(keyOf(), sessionOfGrant(grant(tool))),
          endpoint: platform.endpoints.sts,
        });
        const became = client.send(
          new AssumeRoleCommand({ RoleArn: toolRoleArn('terraform'), RoleSessionName: 'mine', Policy: '{}' }),
        );
        await expect(became, tool).rejects.toMatchObject({ name: 'AccessDenied' });
      }
    });

    it('a build of terraform creates keys of its own pools, and replaces none', async () => {
      const { credentials } = inSession(keyOf(), sessionOfGrant(grant('terraform')));
      const ssm = new SSMClient({ region: 'us-east-1', credentials, endpoint: platform.endpoints.ssm });
      const put = (Overwrite: boolean, Name = '/kubeloom/ssh/team/shop/web-1234567/pool') =>
        ssm.send(new PutParameterCommand({ Name, Value: 'x', Type: 'SecureString', Overwrite }));
      await put(false);
      await expect(put(true)).rejects.toMatchObject({ name: 'AccessDeniedException' });
      await expect(put(false)).rejects.toMatchObject({ name: 'ParameterAlreadyExists' });
      const other = put(false, '/kubeloom/ssh/team/shop/web-7654321/pool');
      await expect(other).rejects.toMatchObject({ name: 'AccessDeniedException' });
    });
  });
});
