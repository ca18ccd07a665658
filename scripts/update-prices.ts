/**
 * Reads the list prices of `functions/domain/prices/machine-prices.json` again where there is a network:
 *
 *     node scripts/update-prices.ts                                  all lists that something can read
 *     node scripts/update-prices.ts aws eu-west-1 t3.small m7i.large these types, too
 *
 * Lists that cannot be read stay as they are, with their date; then the exit code is 1.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PriceLists } from '#domain/prices/machine-prices.ts';
import { priceSourceOf } from './prices/price-source.ts';
import { refreshLists, withTypes } from './prices/refresh-lists.ts';

const today = new Date().toISOString().slice(0, 10);
const get = async (url: string, token?: string): Promise<Response> => {
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${new URL(url).host} answers ${answer.status}`);
  return answer;
};
const file = join(import.meta.dirname, '../functions/domain/prices/machine-prices.json');
const [provider, region, ...types] = process.argv.slice(2);
const before = PriceLists.parse(JSON.parse(readFileSync(file, 'utf8'))).lists;
const wanted = provider && region ? withTypes(before, { provider, region, types }) : before;
const { lists, kept } = await refreshLists(wanted, async (type, prices) => {
  const read = provider === undefined || provider === type ? await priceSourceOf(type) : undefined;
  return read?.(prices, { today, get, env: process.env });
});
// What does not parse would break this program, too.
writeFileSync(file, `${JSON.stringify(PriceLists.parse({ lists }), null, 2)}\n`);
for (const line of kept) console.error(line);
process.exitCode = kept.length > 0 ? 1 : 0;
