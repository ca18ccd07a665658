/** What the prices of machines do not have, for people. */
import { type ProviderTypeFacts, providerTypeNames, providerTypes } from '../provider-types.ts';

const titles = providerTypeNames
  .map((name): ProviderTypeFacts => providerTypes[name])
  .filter((facts) => facts.pricedWithAddress)
  .map(({ title }) => title);

export const notInPrices = `without disks, traffic, taxes and public addresses (${titles.join(', ')}: with those)`;
