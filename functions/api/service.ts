/** The service itself: whether it answers, which version it is, what its API looks like, and who asks. */
import { operations } from '#contracts/operations/operations.ts';
import document from '../../docs/openapi.json' with { type: 'json' };
import product from '../../package.json' with { type: 'json' };
import { handle } from './http/handle.ts';

export const getHealth = handle(operations.getHealth, async (_request, deps) => ({
  json: { status: 'ok' as const, time: deps.clock.now().toISOString() },
}));

export const getVersion = handle(operations.getVersion, async (_request, { config }) => ({
  json: {
    version: product.version,
    installation: config.KUBELOOM_INSTALLATION,
    providerTypes: [...config.KUBELOOM_PROVIDER_TYPES],
  },
}));

export const getOpenapi = handle(operations.getOpenapi, async () => ({ json: document }));

export const whoAmI = handle(operations.whoAmI, async ({ caller: { name, kind, from, grants } }, { config }) => ({
  json: {
    name,
    kind,
    from,
    ownApprovals: config.KUBELOOM_OWN_APPROVALS,
    grants: grants.map(({ role, namespaces }) => ({ role, namespaces: [...namespaces] })),
  },
}));
