# A formula for a tap of one's own: `brew install OWNER/TAP/suture`.
class Suture < Formula
  include Language::Python::Virtualenv

  desc "$description"
  homepage "$site"
  url "$downloads/suture-$version.tar.gz"
  sha256 "$sdist_sha256"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13")
    system "python3.13", "-m", "pip", "--python=#{libexec}/bin/python", "install", buildpath
    bin.install_symlink libexec/"bin/suture", libexec/"bin/apply_patch", libexec/"bin/applypatch"
    generate_completions_from_executable(bin/"suture", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    (testpath/"a.txt").write "old\n"
    system bin/"suture", "edit", "a.txt", "--old", "old", "--new", "new"
    assert_equal "new\n", (testpath/"a.txt").read
  end
end
