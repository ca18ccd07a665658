/** Kubeloom with its API in the thread of the test: for tests of anything but that thread, which loads every module of the API at each start. */
import { kubeloom, type Product } from '#local/product.ts';

export function inOneThread(): Product {
  const { routesModule: _, ...product } = kubeloom('sim');
  return product;
}
