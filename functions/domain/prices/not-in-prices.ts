/** What the prices of machines do not have, for people. */
export const notInPrices = 'without disks, traffic, taxes and public addresses (Hetzner: with those)';
