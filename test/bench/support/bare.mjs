/** The minimal Koa server, with which our routes are compared. */
import Koa from 'koa';

const app = new Koa();
app.use((context) => {
  context.body = { exists: true, datasetAlleleResponses: [], error: null };
});
app.listen(Number(process.argv[2]), '127.0.0.1');
