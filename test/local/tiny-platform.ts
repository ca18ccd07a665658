/** A process of its own with a tiny platform, so that a test can kill it: arguments are the data directory and the build's script. */
import { startPlatform } from '#local/platform.ts';
import { tinyProduct } from './tiny-product.ts';

const [dataDir = '', script = ''] = process.argv.slice(2);
const product = await tinyProduct(dataDir, script);
const { apiUrl, token, endpoints } = await startPlatform({
  dataDir,
  apiPort: 0,
  runner: 'sim',
  graceMs: 200,
  product,
});
process.send?.({ apiUrl, token, endpoints });
