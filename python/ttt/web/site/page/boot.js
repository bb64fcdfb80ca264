// Starts Python with the engine: in the site's worker, and under Node for the tests.
//
// A bundle is a file of files: the length of its index as a 32-bit number, the index as JSON
// ({path: length}), then the contents one after the other; all of it compressed with gzip.

/** The files of an uncompressed bundle, as [path, bytes]. */
export function* unpack(bytes) {
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  let at = 4 + size;
  for (const [path, length] of Object.entries(index)) {
    yield [path, bytes.subarray(at, at + length)];
    at += length;
  }
}

/** Writes the files of a bundle below a folder of Python's file system. */
export function install(FS, folder, bytes) {
  for (const [path, content] of unpack(bytes)) {
    const name = `${folder}/${path}`;
    FS.mkdirTree(name.slice(0, name.lastIndexOf("/")));
    FS.writeFile(name, content);
  }
}

/** What loadPyodide needs besides the address of its files: no packages, and our own modules. */
export function settings(lock, bundles) {
  const place = {};
  return {
    place, // sitePackages, once Python has started
    lockFileContents: { ...lock, packages: {} },
    fsInit: async (FS, { sitePackages }) => {
      place.sitePackages = sitePackages;
      for (const bytes of await Promise.all(bundles)) install(FS, sitePackages, bytes);
    },
  };
}
