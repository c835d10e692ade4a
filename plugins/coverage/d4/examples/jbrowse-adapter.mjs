/** An adapter of JBrowse for D4 files. */
import { BaseFeatureDataAdapter } from '@jbrowse/core/data_adapters/BaseAdapter';
import { SimpleFeature } from '@jbrowse/core/util';
import { openLocation } from '@jbrowse/core/util/io';
import { ObservableCreate } from '@jbrowse/core/util/rxjs';
import { openD4 } from 'trefoil/d4/browser';

export default class D4Adapter extends BaseFeatureDataAdapter {
  open() {
    this.file ??= openD4(openLocation(this.getConf('d4Location'), this.pluginManager)).catch((error) => {
      this.file = undefined; // the next view tries again
      throw error;
    });
    return this.file;
  }

  async getRefNames() {
    return (await this.open()).track().chromosomes.map(({ name }) => name);
  }

  getFeatures({ refName, start, end }, { bpPerPx = 1, signal } = {}) {
    return ObservableCreate(async (observer) => {
      const file = await this.open();
      const parts = Math.max(1, Math.ceil((end - start) / Math.max(1, bpPerPx)));
      const interval = { chromosome: refName, begin: start, end };
      const { begins, means } = await file.profile({ interval, parts, signal });
      for (const [i, score] of means.entries()) {
        const data = { refName, start: begins[i], end: begins[i + 1] ?? end, score };
        observer.next(new SimpleFeature({ id: `${refName}:${begins[i]}`, data }));
      }
      observer.complete();
    }, signal);
  }

  freeResources() {}
}
