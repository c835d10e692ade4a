/** What pages can do only with JavaScript: print collapsed tables, and read a BED file into the form. */

export const script = `
for (const hidden of document.querySelectorAll('.script-only')) hidden.hidden = false;
const closed = [];
addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('details.rows:not([open]):not(.screen)')) { one.open = true; closed.push(one); }
});
addEventListener('afterprint', () => { for (const one of closed.splice(0)) one.open = false; });
document.getElementById('print')?.addEventListener('click', () => print());
document.getElementById('bed-file')?.addEventListener('change', async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  document.getElementById('intervals_bed').value = await file.text();
  document.getElementById('interval_type').value = 'custom_intervals';
});
`;
