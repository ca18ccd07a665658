/** Clouds of loopback that need a token alone, with one machine whose own system is asked to end. */
import type { CloudAnswer, CloudRequest } from '#test/provider-check/fake-cloud.ts';
import { type ActingCloud, bearerOnly, notFound, tagsOf } from './acting-cloud.ts';

const hetzner: ActingCloud = {
  type: 'hetzner',
  id: '7',
  keeps: true,
  input: (url) => ({ fields: { credentials: 'token' }, bases: { api: url } }),
  routes: (machine) => {
    const coded = (status: number, code: string): CloudAnswer => ({ status, body: { error: { code, message: 'm' } } });
    const refusals = {
      denied: coded(403, 'forbidden'),
      kept: coded(403, 'protected'),
      busy: coded(423, 'locked'),
    };
    const states = { on: 'running', stopping: 'stopping', off: 'off', deleting: 'deleting', gone: '' };
    const started = { status: 201, body: { action: { id: 1, status: 'running' } } };
    return {
      'GET /v1/servers/7': bearerOnly(() => {
        const status = states[machine.look()];
        const server = { id: 7, name: 'x', status, labels: tagsOf(machine) };
        return status === '' ? coded(404, 'not_found') : { body: { server } };
      }),
      'POST /v1/servers/7/actions/shutdown': bearerOnly(() => machine.ask(refusals, started)),
      'POST /v1/servers/7/actions/poweroff': bearerOnly(() => machine.act('stop', refusals, started)),
      'DELETE /v1/servers/7': bearerOnly(() => machine.act('delete', refusals, started)),
    };
  },
};

const digitalocean: ActingCloud = {
  type: 'digitalocean',
  id: '7',
  keeps: false,
  hidesDeletion: true,
  input: (url) => ({ fields: { token: 'token' }, bases: { api: url } }),
  routes: (machine) => {
    const refusals = {
      denied: { status: 403, body: { id: 'forbidden' } },
      kept: { status: 422, body: { id: 'unprocessable_entity' } },
      busy: { status: 422, body: { id: 'unprocessable_entity' } },
    };
    const states = { on: 'active', stopping: 'active', off: 'off', deleting: 'active', gone: '' };
    const typeOf = ({ body }: CloudRequest): unknown => JSON.parse(body).type;
    return {
      'GET /v2/droplets/7': bearerOnly(() => {
        const status = states[machine.look()];
        const tags = ['kubeloom', `kubeloom-cluster:${machine.tag}`];
        return status === '' ? notFound : { body: { droplet: { id: 7, name: 'x', status, tags } } };
      }),
      'POST /v2/droplets/7/actions': bearerOnly((request) =>
        typeOf(request) === 'shutdown'
          ? machine.ask(refusals, { status: 201, body: {} })
          : machine.act('stop', refusals, { status: 201, body: {} }),
      ),
      'DELETE /v2/droplets/7': bearerOnly(() => machine.act('delete', refusals, { status: 204, body: '' })),
    };
  },
};

export const tokenClouds: readonly ActingCloud[] = [hetzner, digitalocean];
