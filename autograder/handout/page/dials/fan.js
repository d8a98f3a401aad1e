dials.fan = ({ zoom, d }, width) => {
  const far = 10 ** zoom;
  const wavelengths = speeds(d).map((w) => (2 * Math.PI) / w);
  const tall = Math.max(18, 300 / wavelengths.length);
  const right = width - 88;
  const rows = wavelengths.map((wavelength, i) => {
    const y = 8 + (i + 0.5) * tall;
    const points = range(481).map((t) => [(right * t) / 480, y - (tall * 0.42) * Math.sin((2 * Math.PI * far * (t / 480)) / wavelength)]);
    // More than a wave per three pixels is a grey band, not a picture of a wave.
    const wave = far / wavelength > right / 3 ? box(0, y - tall * 0.42, right, tall * 0.84, "complete", 0.25) : path(points, "one");
    return wave + words(right + 8, y + 4, wavelength < 100 ? short(wavelength, 1) : thousands(wavelength), "start");
  });
  const bottom = 8 + tall * wavelengths.length;
  const marks = words(0, bottom + 18, "position 0", "start") + words(right, bottom + 18, thousands(far), "end") + words(right + 8, bottom + 18, "wavelength", "start");
  const turning = wavelengths.filter((wavelength) => wavelength <= far).length;
  const says = `Over ${thousands(far)} positions, ${turning} of ${wavelengths.length} pairs make at least one full rotation. Wavelengths run from ${short(wavelengths[0], 1)} to ${thousands(wavelengths.at(-1))} positions.`;
  return { numbers: { wavelengths, turning }, height: bottom + 26, picture: rows.join("") + marks, says };
};
