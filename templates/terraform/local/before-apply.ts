/** Hook of the runner: hosts that the machine has lost are recreated, and hosts that it should not have are removed. */
import { reconcile } from './reconcile.ts';

reconcile();
