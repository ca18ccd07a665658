/** Roll-outs that need a person are one list of all namespaces that the caller may see. */
import { expect, it } from 'vitest';
import { aRollOut } from '../contracts/roll-out-store.contract.ts';
import { apiUnderTest, as, bindRoles } from './api-under-test.ts';

it('a caller sees the roll-outs that halted in namespaces of its own, and no others', async () => {
  const { deps, call } = apiUnderTest({ KUBELOOM_ADMINS: 'user:root' });
  await bindRoles(deps, 'team', { viewer: 'vera' });
  await deps.rollOuts.put(aRollOut({ id: '1', status: 'Halted', halted: '2 clusters failed' }));
  await deps.rollOuts.put(aRollOut({ id: '2', status: 'Halted', namespace: 'other' }));
  await deps.rollOuts.put(aRollOut({ id: '3', status: 'RolledOut' }));
  const idsOf = async (user: string, query = '') => {
    const { json } = await call('GET', `/v1/rollouts${query}`, as(user));
    return (json.items as readonly { id: string }[]).map(({ id }) => id).sort();
  };
  expect(await idsOf('vera')).toEqual(['1']);
  expect((await call('GET', '/v1/rollouts?namespace=other', as('vera'))).status).toBe(403);
  expect(await idsOf('root')).toEqual(['1', '2']);
  expect(await idsOf('root', '?namespace=other')).toEqual(['2']);
});
