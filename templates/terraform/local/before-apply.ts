/** Hook of the runner: what the machine has lost is made anew, and what it should not have is removed. */
import { reconcile } from './reconcile.ts';

reconcile();
