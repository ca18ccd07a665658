/** Clouds of loopback with one machine that can be stopped and deleted by its id. They refuse what the documents of theirs refuse. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import type { CloudAnswer, CloudRequest } from '#test/provider-check/fake-cloud.ts';
import { exoscaleGuard, ociGuard } from '#test/provider-check/signature-guards.ts';
import { isSigned, knownKey } from '#test/vault/fake-sts.ts';
import { type ActingCloud, bearerOnly, cluster, notFound, tagsOf } from './acting-cloud.ts';

const xml = (status: number, code: string): CloudAnswer => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code></Error></Errors></Response>`,
});
const query = ({ path }: CloudRequest) => new URLSearchParams(path.split('?')[1]);

const aws: ActingCloud = {
  type: 'aws',
  id: 'i-0a1',
  place: 'eu-central-1',
  keeps: true,
  input: (url) => ({
    fields: { accesskey: knownKey.accessKeyId, secretkey: knownKey.secretAccessKey },
    bases: { ec2: url },
  }),
  routes: (machine) => ({
    'POST /': ({ body, headers }) => {
      const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      if (!isSigned({ headers: signed, body }, 'ec2')) return xml(401, 'AuthFailure');
      const question = new URLSearchParams(body);
      const action = question.get('Action');
      if (question.get('InstanceId.1') !== 'i-0a1') return xml(400, 'InvalidInstanceID.NotFound');
      const refusals = {
        denied: xml(403, 'UnauthorizedOperation'),
        kept: xml(400, 'OperationNotPermitted'),
        busy: xml(503, 'RequestLimitExceeded'),
      };
      if (action === 'StopInstances') return machine.act('stop', refusals, { body: '<StopInstancesResponse/>' });
      if (action === 'TerminateInstances')
        return machine.act('delete', refusals, { body: '<TerminateInstancesResponse/>' });
      const state = {
        on: 'running',
        stopping: 'stopping',
        off: 'stopped',
        deleting: 'shutting-down',
        gone: 'terminated',
      }[machine.look()];
      return {
        body: `<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-0a1</instanceId><instanceState><name>${state}</name></instanceState><tagSet><item><key>kubeloom-cluster</key><value>${machine.tag}</value></item></tagSet></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`,
      };
    },
  }),
};

const azureId = '/subscriptions/sub/resourceGroups/SHOP/providers/Microsoft.Compute/virtualMachines/who-is-that';
const azure: ActingCloud = {
  type: 'azure',
  id: azureId,
  keeps: true,
  input: (url) => ({
    fields: { subscriptionid: 'sub', tenantid: 'tenant', clientid: 'client', clientsecret: 'the-secret' },
    bases: { login: url, management: url },
  }),
  routes: (machine) => {
    const coded = (status: number, code: string): CloudAnswer => ({ status, body: { error: { code } } });
    const guarded = (answer: (request: CloudRequest) => CloudAnswer) =>
      bearerOnly((request) =>
        query(request).has('api-version') ? answer(request) : coded(400, 'MissingApiVersionParameter'),
      );
    const refusals = {
      denied: coded(403, 'AuthorizationFailed'),
      kept: coded(409, 'ScopeLocked'),
      busy: coded(429, 'TooManyRequests'),
    };
    return {
      'POST /tenant/oauth2/v2.0/token': () => ({ body: { access_token: 'token' } }),
      [`GET ${azureId}`]: guarded((request) => {
        const now = machine.look();
        if (now === 'gone') return coded(404, 'ResourceNotFound');
        const code = now === 'off' ? 'PowerState/deallocated' : 'PowerState/running';
        const view = { instanceView: { statuses: [{ code: 'ProvisioningState/succeeded' }, { code }] } };
        const properties = {
          provisioningState: now === 'deleting' ? 'Deleting' : 'Succeeded',
          ...(query(request).get('$expand') === 'instanceView' && view),
        };
        return { body: { id: azureId, name: 'who-is-that', tags: tagsOf(machine), properties } };
      }),
      [`POST ${azureId}/deallocate`]: guarded(() => machine.act('stop', refusals, { status: 202, body: '' })),
      [`DELETE ${azureId}`]: guarded(() => machine.act('delete', refusals, { status: 202, body: '' })),
    };
  },
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const gcp: ActingCloud = {
  type: 'gcp',
  id: '4711',
  place: 'zones/europe-west1-b',
  keeps: true,
  hidesDeletion: true,
  input: (url) => ({
    fields: { credentials: JSON.stringify({ client_email: 'k@shop.example', private_key: pem }), gcpproject: 'shop' },
    bases: { oauth2: `${url}/token`, compute: url },
  }),
  routes: (machine) => {
    const path = '/compute/v1/projects/shop/zones/europe-west1-b/instances/4711';
    const refused = (code: number, reason: string): CloudAnswer => ({
      status: code,
      body: { error: { code, errors: [{ reason, domain: 'global' }] } },
    });
    const refusals = {
      denied: refused(403, 'forbidden'),
      kept: refused(400, 'invalidResourceUsage'),
      busy: refused(403, 'rateLimitExceeded'),
    };
    const states = { on: 'RUNNING', stopping: 'STOPPING', off: 'TERMINATED', deleting: 'STOPPING', gone: '' };
    return {
      'POST /token': () => ({ body: { access_token: 'token' } }),
      [`GET ${path}`]: bearerOnly(() => {
        const status = states[machine.look()];
        const body = { id: '4711', name: `${cluster}-who-is-that`, status, labels: tagsOf(machine) };
        return status === '' ? notFound : { body };
      }),
      [`POST ${path}/stop`]: bearerOnly(() => machine.act('stop', refusals, { body: { kind: 'compute#operation' } })),
      [`DELETE ${path}`]: bearerOnly(() => machine.act('delete', refusals, { body: { kind: 'compute#operation' } })),
    };
  },
};

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyfingerprint = createHash('md5')
  .update(pair.publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')
  .replaceAll(/(..)(?=.)/g, '$1:');
const ocids = { tenancyocid: 'ocid1.tenancy.oc1..t', userocid: 'ocid1.user.oc1..u', compartmentocid: 'ocid1.c.oc1..c' };
const oci: ActingCloud = {
  type: 'oci',
  id: 'ocid1.instance.oc1..i',
  place: 'eu-frankfurt-1',
  keeps: false,
  input: (url) => ({
    fields: {
      ...ocids,
      keyfingerprint,
      privatekey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    },
    bases: { iaas: url },
  }),
  routes: (machine) => {
    const guard = ociGuard({
      publicKey: pair.publicKey,
      keyId: `${ocids.tenancyocid}/${ocids.userocid}/${keyfingerprint}`,
    });
    const path = '/20160918/instances/ocid1.instance.oc1..i';
    const coded = (status: number, code: string): CloudAnswer => ({ status, body: { code } });
    const refusals = {
      denied: coded(404, 'NotAuthorizedOrNotFound'),
      kept: coded(409, 'IncorrectState'),
      busy: coded(409, 'IncorrectState'),
    };
    const states = {
      on: 'RUNNING',
      stopping: 'STOPPING',
      off: 'STOPPED',
      deleting: 'TERMINATING',
      gone: 'TERMINATED',
    };
    return {
      [`GET ${path}`]: (request) =>
        guard(request) ?? {
          body: { id: 'ocid1.instance.oc1..i', lifecycleState: states[machine.look()], freeformTags: tagsOf(machine) },
        },
      [`POST ${path}`]: (request) => {
        const refusal = guard(request);
        if (refusal !== undefined) return refusal;
        return query(request).get('action') === 'STOP'
          ? machine.act('stop', refusals, { body: {} })
          : coded(400, 'InvalidParameter');
      },
      [`DELETE ${path}`]: (request) => guard(request) ?? machine.act('delete', refusals, { status: 204, body: '' }),
    };
  },
};

const openstack: ActingCloud = {
  type: 'openstack',
  id: 'server-1',
  place: 'one',
  keeps: true,
  input: (url) => ({
    fields: { authurl: `${url}/v3`, applicationcredentialid: 'id', applicationcredentialsecret: 'the-secret' },
    bases: {},
  }),
  routes: (machine, url) => {
    const guarded =
      (answer: (request: CloudRequest) => CloudAnswer) =>
      (request: CloudRequest): CloudAnswer =>
        request.headers['x-auth-token'] === 'token' ? answer(request) : { status: 401, body: {} };
    const fault = (code: number, name: string, message: string): CloudAnswer => ({
      status: code,
      body: { [name]: { code, message } },
    });
    const refusals = {
      denied: fault(403, 'forbidden', "Policy doesn't allow os_compute_api:servers:stop to be performed."),
      kept: fault(409, 'conflictingRequest', 'Instance server-1 is locked'),
      busy: fault(503, 'serviceUnavailable', 'later'),
    };
    const states = { on: 'ACTIVE', stopping: 'ACTIVE', off: 'SHUTOFF', deleting: 'ACTIVE', gone: '' };
    return {
      'POST /v3/auth/tokens': () => {
        const ends = (region: string, path: string) => [
          { interface: 'internal', region, url: 'http://inside.example' },
          { interface: 'public', region, url: `${url()}${path}` },
        ];
        const endpoints = [...ends('two', '/elsewhere'), ...ends('one', '/nova')];
        const token = { project: { name: 'p' }, catalog: [{ type: 'compute', endpoints }] };
        return { body: { token }, headers: { 'x-subject-token': 'token' } };
      },
      'GET /nova/servers/server-1': guarded(() => {
        const now = machine.look();
        const server = {
          id: 'server-1',
          name: 'x',
          status: states[now],
          metadata: tagsOf(machine),
          'OS-EXT-STS:task_state': now === 'deleting' ? 'deleting' : null,
        };
        return now === 'gone' ? fault(404, 'itemNotFound', 'gone') : { body: { server } };
      }),
      'POST /nova/servers/server-1/action': guarded(({ body }) => {
        if (body !== '{"os-stop":null}') return fault(400, 'badRequest', 'no such action');
        if (machine.power === 'off') return fault(409, 'conflictingRequest', "Cannot 'stop' while vm_state stopped");
        return machine.act('stop', refusals, { status: 202, body: '' });
      }),
      'DELETE /nova/servers/server-1': guarded(() => machine.act('delete', refusals, { status: 204, body: '' })),
    };
  },
};

const exoscale: ActingCloud = {
  type: 'exoscale',
  id: 'instance-1',
  place: 'ch-gva-2',
  keeps: true,
  input: (url) => ({ fields: { apikey: 'EXO1', apisecret: 'the-secret' }, bases: { api: url } }),
  routes: (machine) => {
    const guard = exoscaleGuard({ apikey: 'EXO1', apisecret: 'the-secret' });
    const refusals = {
      denied: { status: 403, body: { message: 'Forbidden by role policy for compute' } },
      kept: { status: 409, body: { message: 'Instance is protected' } },
      busy: { status: 503, body: { message: 'later' } },
    };
    const states = {
      on: 'running',
      stopping: 'stopping',
      off: 'stopped',
      deleting: 'destroying',
      gone: '',
    };
    return {
      'GET /v2/instance/instance-1': (request) => {
        const refusal = guard(request);
        if (refusal !== undefined) return refusal;
        const state = states[machine.look()];
        return state === '' ? notFound : { body: { id: 'instance-1', state, labels: tagsOf(machine) } };
      },
      'PUT /v2/instance/instance-1:stop': (request) =>
        guard(request) ?? machine.act('stop', refusals, { body: { id: 'operation', state: 'pending' } }),
      'DELETE /v2/instance/instance-1': (request) =>
        guard(request) ?? machine.act('delete', refusals, { body: { id: 'operation', state: 'pending' } }),
    };
  },
};

export const actingClouds: readonly ActingCloud[] = [aws, azure, gcp, oci, openstack, exoscale];
