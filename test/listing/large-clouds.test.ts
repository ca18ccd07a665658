/** What AWS, Azure and Google Cloud list of a cluster, on clouds of loopback that refuse what theirs refuse. No account was asked. */
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { listCluster } from '#runner/listing/list-cluster.ts';
import { type CloudRequest, type FakeCloud, fakeCloud, type Routes } from '#test/provider-check/fake-cloud.ts';
import { isSigned, knownKey } from '#test/vault/fake-sts.ts';

const cluster = 'shop-1234567';
const open: FakeCloud[] = [];
afterEach(() => {
  for (const cloud of open.splice(0)) cloud.close();
});
async function started(routes: Routes): Promise<FakeCloud> {
  const cloud = await fakeCloud(routes);
  open.push(cloud);
  return cloud;
}
const query = ({ path }: CloudRequest) => new URLSearchParams(path.split('?')[1]);
const ours = { 'kubeloom-cluster': cluster };
const others = { 'kubeloom-cluster': 'shop-7654321' };

describe('AWS', () => {
  const fields = { accesskey: knownKey.accessKeyId, secretkey: knownKey.secretAccessKey };
  const tag = (key: string, value: string) => `<item><key>${key}</key><value>${value}</value></item>`;
  const tags = (name: string) => `<tagSet>${tag('kubeloom-cluster', cluster)}${tag('Name', name)}</tagSet>`;
  const instance = (id: string, name: string) =>
    `<item><instancesSet><item><instanceId>${id}</instanceId><instanceState><name>running</name></instanceState>${tags(name)}</item></instancesSet></item>`;
  const refusal = (status: number, code: string) => ({
    status,
    body: `<Response><Errors><Error><Code>${code}</Code></Error></Errors></Response>`,
  });
  const answers: Readonly<Record<string, (question: URLSearchParams) => string | undefined>> = {
    DescribeInstances: (question) => {
      const next = question.get('NextToken');
      if (next === null)
        return `<reservationSet>${instance('i-1', `${cluster}-web-01`)}</reservationSet><nextToken>page2</nextToken>`;
      return next === 'page2' ? `<reservationSet>${instance('i-2', 'who-is-that')}</reservationSet>` : undefined;
    },
    DescribeVolumes: () =>
      `<volumeSet><item><volumeId>vol-1</volumeId><attachmentSet><item><volumeId>vol-1</volumeId><instanceId>i-1</instanceId></item></attachmentSet>${tags(`${cluster}-web-01`)}</item></volumeSet>`,
    DescribeAddresses: () =>
      `<addressesSet><item><publicIp>198.51.100.1</publicIp><allocationId>eipalloc-1</allocationId>${tags(`${cluster}-web-01`)}</item></addressesSet>`,
  };
  /** As EC2: who signs, which action, which pages. */
  const ec2: Routes = {
    'POST /': ({ body, headers }) => {
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      if (!isSigned({ headers: signed, body }, 'ec2')) return refusal(401, 'AuthFailure');
      const question = new URLSearchParams(body);
      const action = question.get('Action') ?? '';
      if (action === 'DescribeAddresses' && question.has('MaxResults')) return refusal(400, 'UnknownParameter');
      const isFiltered =
        question.get('Filter.1.Name') === 'tag:kubeloom-cluster' && question.get('Filter.1.Value.1') === cluster;
      const inner = answers[action]?.(question);
      if (inner === undefined) return refusal(400, 'InvalidNextToken');
      // Without the filter it lists what others have.
      const text = isFiltered ? inner : `<reservationSet>${instance('i-9', 'of-others')}</reservationSet>`;
      return {
        body: `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${text}</${action}Response>`,
      };
    },
  };
  const list = (cloud: FakeCloud, change: Readonly<Record<string, string>> = {}, regions = ['eu-central-1']) =>
    listCluster('aws', { fields: { ...fields, ...change }, regions, cluster, bases: { ec2: cloud.url } });

  it('AWS lists machines page by page, volumes and addresses, by the tag of the cluster', async () => {
    expect(await list(await started(ec2))).toEqual({
      items: [
        { id: 'i-1', name: 'web-01', kind: 'machine' },
        { id: 'i-2', name: 'who-is-that', kind: 'machine' },
        { id: 'vol-1', name: 'web-01', kind: 'volume' },
        { id: 'eipalloc-1', name: 'web-01', kind: 'address' },
      ].map((thing) => ({ ...thing, place: 'eu-central-1' })),
    });
  });

  it('things of AWS keep their own names and ids, wherever an answer has its tags', async () => {
    const early = (id: string, name: string) =>
      `<item><instancesSet><item><blockDeviceMapping><item><ebs><volumeId>vol-1</volumeId></ebs></item></blockDeviceMapping>${tags(name)}<instanceId>${id}</instanceId></item></instancesSet></item>`;
    const body = (action: string, inner: string) => ({
      body: `<?xml version="1.0"?><${action}Response>${inner}</${action}Response>`,
    });
    const routes: Routes = {
      'POST /': (request) =>
        request.body.includes('DescribeInstances')
          ? body(
              'DescribeInstances',
              `<reservationSet>${early('i-1', `${cluster}-a`)}${early('i-2', `${cluster}-b &amp; c`)}</reservationSet>`,
            )
          : body(request.body.includes('Volumes') ? 'DescribeVolumes' : 'DescribeAddresses', '<volumeSet/>'),
    };
    expect(await list(await started(routes))).toMatchObject({
      items: [
        { id: 'i-1', name: 'a' },
        { id: 'i-2', name: 'b & c' },
      ],
    });
    const broken = { 'POST /': () => ({ body: '<DescribeInstancesResponse><a></b></DescribeInstancesResponse>' }) };
    expect(await list(await started(broken))).toEqual({ failed: 'the answer has another form' });
  });

  it('machines of AWS that are terminated are not asked for', async () => {
    const cloud = await started(ec2);
    await list(cloud);
    const [asked] = cloud.asked.filter(({ body }) => body.includes('DescribeInstances'));
    const question = [...new URLSearchParams(asked?.body)].filter(([name]) => name.startsWith('Filter.2'));
    expect(question.map(([, value]) => value)).not.toContain('terminated');
    expect(question.length).toBeGreaterThan(3);
  });

  it('a wrong key of AWS, a page that is unknown and an answer without a list fail the listing', async () => {
    expect(await list(await started(ec2), { secretkey: 'x'.repeat(40) })).toEqual({
      failed: expect.stringMatching(/Describe\w+ in eu-central-1 cannot be listed: AuthFailure/),
    });
    const endless = {
      'POST /': () => ({ body: '<DescribeInstancesResponse><nextToken>same</nextToken></DescribeInstancesResponse>' }),
    };
    expect(await list(await started(endless))).toMatchObject({ failed: expect.any(String) });
    expect(await list(await started({ 'POST /': () => ({ body: '<html/>' }) }))).toEqual({
      failed: expect.stringContaining('another form'),
    });
  });

  it('listing AWS without a known region is reported as unknown, not as empty', async () => {
    const cloud = await started(ec2);
    expect(await list(cloud, {}, [])).toEqual({
      failed: 'machines cannot be listed: no region of the cluster is known',
    });
    expect(cloud.asked).toEqual([]);
  });

  it('AWS denies only what it says is not authorised', async () => {
    const answers = (code: string) => ({ 'POST /': () => refusal(403, code) });
    expect(await list(await started(answers('UnauthorizedOperation')))).toMatchObject({ denied: true });
    for (const code of ['AuthFailure', 'RequestExpired', 'OptInRequired'])
      expect(await list(await started(answers(code)))).not.toHaveProperty('denied');
  });

  it('a name of a region that would be another host gets no request', async () => {
    const cloud = await started(ec2);
    expect(await list(cloud, {}, ['evil.example/'])).toMatchObject({ failed: expect.stringContaining('region') });
    expect(cloud.asked).toEqual([]);
  });
});

describe('Azure', () => {
  const fields = { subscriptionid: 'sub', tenantid: 'tenant', clientid: 'client', clientsecret: 'the-secret' };
  const machines = 'GET /subscriptions/sub/providers/Microsoft.Compute/virtualMachines';
  const thing = (name: string, tags: object | undefined) => ({
    id: `/subscriptions/sub/x/${name}`,
    name,
    ...(tags && { tags }),
  });
  const guarded = (page: (request: CloudRequest) => { status?: number; body: unknown }) => (request: CloudRequest) => {
    if (request.headers.authorization !== 'Bearer token') return { status: 401, body: {} };
    return query(request).has('api-version')
      ? page(request)
      : { status: 400, body: { error: { code: 'MissingApiVersionParameter' } } };
  };
  const refused = (code: string) => () => ({ status: 403, body: { error: { code } } });
  const empty = guarded(() => ({ body: { value: [] } }));
  const arm = (next: (url: string) => string): Routes => ({
    'POST /tenant/oauth2/v2.0/token': () => ({ body: { access_token: 'token' } }),
    [machines]: guarded((request) =>
      query(request).has('$skiptoken')
        ? { body: { value: [thing('who-is-that', ours)] } }
        : {
            body: {
              value: [thing(`${cluster}-web-01`, ours), thing('x', others), thing('y', undefined)],
              nextLink: next(`http://${request.headers.host}${request.path}&$skiptoken=2`),
            },
          },
    ),
    'GET /subscriptions/sub/providers/Microsoft.Compute/disks': guarded(() => ({
      body: { value: [thing('d', ours)] },
    })),
    'GET /subscriptions/sub/providers/Microsoft.Network/publicIPAddresses': empty,
  });
  const list = (cloud: FakeCloud) =>
    listCluster('azure', { fields, regions: [], cluster, bases: { login: cloud.url, management: cloud.url } });

  it('Azure lists all of a kind, page by page, and what has the tag is taken', async () => {
    expect(await list(await started(arm((url) => url)))).toMatchObject({
      items: [
        { name: 'web-01', kind: 'machine' },
        { name: 'who-is-that', kind: 'machine' },
        { name: 'd', kind: 'volume' },
      ],
    });
  });

  it('a next page of Azure at another address is not asked for: the token would go there', async () => {
    const elsewhere = await started({});
    expect(await list(await started(arm(() => `${elsewhere.url}/next`)))).toEqual({
      failed: expect.stringContaining('its next page is elsewhere'),
    });
    expect(elsewhere.asked).toEqual([]);
  });

  it('a permission of Azure that is missing fails the listing', async () => {
    const denied = { ...arm((url) => url), [machines]: refused('AuthorizationFailed') };
    expect(await list(await started(denied))).toEqual({
      failed: expect.stringMatching(/virtualMachines.*HTTP 403/),
      denied: true,
      needs: 'credentials',
    });
  });

  it('a refusal of Azure that names no missing permission is not called denied', async () => {
    const other = { ...arm((url) => url), [machines]: refused('SubscriptionNotRegistered') };
    expect(await list(await started(other))).toEqual({ failed: expect.stringMatching(/virtualMachines.*HTTP 403$/) });
  });

  it('a clock that is wrong is named, and is no missing permission, whatever the cloud says', async () => {
    const late = new Date(Date.now() - 3_600_000).toUTCString();
    const denied = {
      ...arm((url) => url),
      [machines]: () => ({ ...refused('AuthorizationFailed')(), headers: { date: late } }),
    };
    expect(await list(await started(denied))).toEqual({
      failed: expect.stringContaining("the clock here is 60 minutes ahead of the cloud's"),
    });
  });
});

describe('Google Cloud', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const credentials = JSON.stringify({ client_email: 'kubeloom@shop.iam.gserviceaccount.com', private_key });
  const aggregated = '/compute/v1/projects/shop/aggregated';
  const answered = (page: (request: CloudRequest) => object | undefined) => (request: CloudRequest) => {
    if (request.headers.authorization !== 'Bearer token') return { status: 401, body: {} };
    if (query(request).get('filter') !== `labels.kubeloom-cluster=${cluster}`) return { status: 400, body: {} };
    const body = page(request);
    return body === undefined ? { status: 400, body: { error: { message: 'Invalid pageToken' } } } : { body };
  };
  const none = { items: { 'regions/r': { warning: { code: 'NO_RESULTS_ON_PAGE' } } } };
  const routes: Routes = {
    'POST /token': () => ({ body: { access_token: 'token' } }),
    [`GET ${aggregated}/instances`]: answered((request) => {
      const next = query(request).get('pageToken');
      const page = (id: string, name: string) => ({
        'zones/a': { instances: [{ id, name, labels: ours }] },
        'zones/b': { warning: { code: 'NO_RESULTS_ON_PAGE' } },
      });
      if (next === null) return { items: page('1', `${cluster}-web-01`), nextPageToken: 'p2' };
      return next === 'p2' ? { items: page('2', 'who-is-that') } : undefined;
    }),
    [`GET ${aggregated}/disks`]: answered(() => none),
    [`GET ${aggregated}/addresses`]: answered(() => ({})),
  };
  const list = (cloud: FakeCloud) =>
    listCluster('gcp', {
      fields: { credentials, gcpproject: 'shop' },
      regions: [],
      cluster,
      bases: { oauth2: `${cloud.url}/token`, compute: cloud.url },
    });

  it('Google Cloud lists by the label of the cluster over all zones, page by page', async () => {
    expect(await list(await started(routes))).toEqual({
      items: [
        { id: '1', name: 'web-01', kind: 'machine', stateId: `projects/shop/zones/a/instances/${cluster}-web-01` },
        { id: '2', name: 'who-is-that', kind: 'machine', stateId: 'projects/shop/zones/a/instances/who-is-that' },
      ].map((thing) => ({ ...thing, place: 'zones/a' })),
    });
  });

  it('Google Cloud denies only what it forbids: an API that is not enabled has the same status', async () => {
    const because = (reason: string) => ({
      ...routes,
      [`GET ${aggregated}/disks`]: () => ({ status: 403, body: { error: { errors: [{ reason }] } } }),
    });
    expect(await list(await started(because('forbidden')))).toMatchObject({ denied: true });
    for (const reason of ['accessNotConfigured', 'rateLimitExceeded'])
      expect(await list(await started(because(reason)))).toEqual({ failed: 'disks cannot be listed: HTTP 403' });
  });

  it('pages of Google Cloud that do not end fail the listing', async () => {
    const endless = { ...routes, [`GET ${aggregated}/disks`]: answered(() => ({ nextPageToken: 'again' })) };
    expect(await list(await started(endless))).toEqual({ failed: 'disks cannot be listed: it returns endless pages' });
  });
});
