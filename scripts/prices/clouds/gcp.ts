/** Google Cloud: its prices are entered by hand. */
import type { PriceSource } from '../price-source.ts';

export const prices: PriceSource = async () => {
  throw new Error('Google Cloud lists cores and memory, not machines, and needs an API key; enter its prices by hand');
};
